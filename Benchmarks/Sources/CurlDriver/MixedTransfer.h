// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT
#ifndef BLUEBONNET_MIXED_TRANSFER_H
#define BLUEBONNET_MIXED_TRANSFER_H

#include "MixedRequest.h"

#include <curl/curl.h>

/// A request of mixed traffic and its list of header fields, which libcurl reads until the transfer has ended.
struct mixed_transfer {
    mixed_request request;
    struct curl_slist *fields;
};

/// Makes the request with a number and sets it on an easy handle, which may have sent another request before. Returns
/// 0, or -1 if the URL is too long or memory is exhausted. `mixed_transfer_release` must be called in both cases.
int mixed_transfer_prepare(struct mixed_transfer *transfer, CURL *easy, const char *const *origins, long origin_count,
                           uint64_t number);

/// Frees the memory that `mixed_transfer_prepare` allocated. The handle must not be running.
void mixed_transfer_release(struct mixed_transfer *transfer, CURL *easy);

#endif
