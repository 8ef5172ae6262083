// Only the functions that Swift cannot call: libcurl's variadic functions, with one function for each type of
// argument.
#ifndef BLUEBONNET_CCURL_SHIM_H
#define BLUEBONNET_CCURL_SHIM_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

_Static_assert(LIBCURL_VERSION_NUM >= 0x075800,
    "Bluebonnet needs libcurl 7.88 or later, and the headers installed here are of libcurl " LIBCURL_VERSION);

/// CURLAUTH_DIGEST contains a cast and is not imported.
static const long bluebonnet_auth_digest = (long)CURLAUTH_DIGEST;

/// curl_easy_setopt is variadic; Swift needs one function for each argument type.
static inline CURLcode bluebonnet_easy_setopt_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bluebonnet_easy_setopt_off_t(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bluebonnet_easy_setopt_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bluebonnet_easy_setopt_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bluebonnet_easy_setopt_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

/// The callback type of CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION and CURLOPT_READFUNCTION.
typedef size_t (*bluebonnet_data_callback)(char *, size_t, size_t, void *);
static inline CURLcode bluebonnet_easy_setopt_data_callback(
    CURL *handle, CURLoption option, bluebonnet_data_callback value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bluebonnet_easy_setopt_seek_callback(CURL *handle, curl_seek_callback value) {
    return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode bluebonnet_easy_setopt_sockopt_callback(CURL *handle, curl_sockopt_callback value) {
    return curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, value);
}

static inline CURLcode bluebonnet_easy_setopt_opensocket_callback(CURL *handle, curl_opensocket_callback value) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode bluebonnet_easy_setopt_closesocket_callback(CURL *handle, curl_closesocket_callback value) {
    return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLcode bluebonnet_easy_setopt_prereq_callback(CURL *handle, curl_prereq_callback value) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode bluebonnet_easy_setopt_ssl_context_callback(CURL *handle, curl_ssl_ctx_callback value) {
    return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, value);
}

static inline CURLcode bluebonnet_easy_setopt_trailer_callback(CURL *handle, curl_trailer_callback value) {
    return curl_easy_setopt(handle, CURLOPT_TRAILERFUNCTION, value);
}

static inline CURLcode bluebonnet_easy_setopt_debug_callback(CURL *handle, curl_debug_callback value) {
    return curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, value);
}

/// curl_easy_getinfo is variadic; Swift needs one function for each result type.
static inline CURLcode bluebonnet_easy_getinfo_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode bluebonnet_easy_getinfo_off_t(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode bluebonnet_easy_getinfo_string(CURL *handle, CURLINFO info, char **value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode bluebonnet_easy_getinfo_session(CURL *handle, struct curl_tlssessioninfo **value) {
    return curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, value);
}

static inline CURLcode bluebonnet_easy_getinfo_list(CURL *handle, CURLINFO info, struct curl_slist **value) {
    return curl_easy_getinfo(handle, info, value);
}

/// curl_share_setopt is variadic.
static inline CURLSHcode bluebonnet_share_setopt_data(CURLSH *share, CURLSHoption option, curl_lock_data value) {
    return curl_share_setopt(share, option, value);
}

/// curl_multi_setopt is variadic; Swift needs one function for each argument type.
static inline CURLMcode bluebonnet_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode bluebonnet_multi_setopt_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode bluebonnet_multi_setopt_socket_callback(CURLM *multi, curl_socket_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode bluebonnet_multi_setopt_timer_callback(CURLM *multi, curl_multi_timer_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

/// Returns the result of a message. The result is a member of a union that Swift imports as an opaque type.
static inline CURLcode bluebonnet_message_result(const CURLMsg *message) {
    return message->data.result;
}

#endif
