// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT
#include "MixedTransfer.h"

static int append(struct mixed_transfer *transfer, const char *field) {
    struct curl_slist *fields = curl_slist_append(transfer->fields, field);
    if (fields == NULL) return -1;
    transfer->fields = fields;
    return 0;
}

static int append_fields(struct mixed_transfer *transfer) {
    const mixed_request *request = &transfer->request;
    if (append(transfer, request->trace_parent) != 0 || append(transfer, request->idempotency_key) != 0) return -1;
    if (append(transfer, request->authorization) != 0) return -1;
    return request->body_length < 0 ? 0 : append(transfer, "Content-Type: application/json");
}

int mixed_transfer_prepare(struct mixed_transfer *transfer, CURL *easy, const char *const *origins, long origin_count,
                           uint64_t number) {
    const mixed_request *request = &transfer->request;
    if (mixed_request_make(&transfer->request, origins, origin_count, number) != 0) return -1;
    if (append_fields(transfer) != 0) return -1;
    if (request->body_length < 0) {
        curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    } else {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)request->body_length);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body);
    }
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->fields);
    return curl_easy_setopt(easy, CURLOPT_URL, request->url) == CURLE_OK ? 0 : -1;
}

void mixed_transfer_release(struct mixed_transfer *transfer, CURL *easy) {
    if (transfer->fields == NULL) return;
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(transfer->fields);
    transfer->fields = NULL;
}
