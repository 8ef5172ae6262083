// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT
#include "MixedRequest.h"

#include <inttypes.h>
#include <stdio.h>

enum { words_per_request = 8 };

/// The finalizer of SplitMix64: different seeds give different words.
static uint64_t word(uint64_t seed) {
    uint64_t word = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

static int make_url(mixed_request *request, const char *origin, unsigned path) {
    int length = snprintf(
        request->url, sizeof request->url, "%s/v1/shops/%u/items/%u?page=%u&limit=%u&filter=%016" PRIx64, origin,
        path % 40, path, path % 50 + 1, path % 5 * 20 + 20, word(UINT64_C(1) << 63 | path));
    return length < (int)sizeof request->url ? 0 : -1;
}

int mixed_request_make(mixed_request *request, const char *const *origins, long origin_count, uint64_t number) {
    uint64_t seed = number * words_per_request;
    uint64_t place = word(seed);
    uint64_t trace = word(seed + 1);
    unsigned path = (unsigned)((place >> 32) % mixed_path_count);
    snprintf(request->trace_parent, sizeof request->trace_parent,
             "traceparent: 00-%016" PRIx64 "%016" PRIx64 "-%016" PRIx64 "-01", trace, word(seed + 2), word(seed + 3));
    snprintf(request->idempotency_key, sizeof request->idempotency_key, "Idempotency-Key: %016" PRIx64,
             word(seed + 4));
    snprintf(request->authorization, sizeof request->authorization,
             "Authorization: Bearer %016" PRIx64 "%016" PRIx64 "%016" PRIx64, word(seed + 5), word(seed + 6),
             word(seed + 7));
    request->body_length = -1;
    if (number % 10 == 9)
        request->body_length = snprintf(
            request->body, sizeof request->body,
            "{\"item\":%u,\"quantity\":%u,\"reference\":\"%016" PRIx64 "\",\"isGift\":false}", path,
            (unsigned)(number % 100 + 1), trace);
    return make_url(request, origins[(uint32_t)place % (uint64_t)origin_count], path);
}
