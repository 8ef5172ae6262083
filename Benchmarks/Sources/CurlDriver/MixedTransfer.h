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

/// Makes the request of that number and gives it to an easy handle, which may have sent another request before.
/// Returns 0, or -1 when the URL is too long or there is no memory; `mixed_transfer_release` is due in both cases.
int mixed_transfer_prepare(struct mixed_transfer *transfer, CURL *easy, const char *const *origins, long origin_count,
                           uint64_t number);

/// Frees what `mixed_transfer_prepare` allocated. The handle must not run.
void mixed_transfer_release(struct mixed_transfer *transfer, CURL *easy);

#endif
