// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT
//
// The requests of mixed traffic for libcurl in C. The formula is the same as in `MixedPlan` in Swift; a test compares
// both.
#ifndef BLUEBONNET_MIXED_REQUEST_H
#define BLUEBONNET_MIXED_REQUEST_H

#include <stdint.h>

/// The number of paths of each origin. Each path has a different query.
enum { mixed_path_count = 1000 };

/// One request of mixed traffic as texts. Header fields are whole lines without their line ends.
typedef struct {
    char url[256];
    char trace_parent[96];
    char idempotency_key[64];
    char authorization[96];
    char body[128];
    /// The length of the body of a POST; -1 for a GET.
    int body_length;
} mixed_request;

/// Writes the request with a number. Returns 0, or -1 if the URL is too long.
///
/// An origin is a scheme, a host and a port such as "http://127.0.0.1:8080".
int mixed_request_make(mixed_request *request, const char *const *origins, long origin_count, uint64_t number);

#endif
