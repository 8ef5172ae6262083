// Only the functions that Swift cannot call: OpenSSL's macros, and functions with a structure that several modules
// share.
#ifndef BLUEBONNET_COPENSSL_SHIM_H
#define BLUEBONNET_COPENSSL_SHIM_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <time.h>

/// SSL_OP_NO_RENEGOTIATION is a macro that calls another.
static inline void bluebonnet_forbid_renegotiation(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
}

/// SSL_CTX_clear_mode is a macro.
static inline void bluebonnet_keep_buffers(SSL_CTX *context) {
    SSL_CTX_clear_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

/// SSL_CTX_set_tlsext_status_type and SSL_CTX_set_tlsext_status_cb are macros.
static inline void bluebonnet_ask_for_status(SSL_CTX *context, int (*callback)(SSL *, void *)) {
    SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp);
    SSL_CTX_set_tlsext_status_cb(context, callback);
}

/// Returns the length of the stapled response, or -1 without a response; SSL_get_tlsext_status_ocsp_resp is a macro.
static inline long bluebonnet_stapled_answer(SSL *connection, const unsigned char **bytes) {
    return SSL_get_tlsext_status_ocsp_resp(connection, bytes);
}

/// Returns the length of the bytes written to a memory BIO; BIO_get_mem_data is a macro.
static inline long bluebonnet_written(BIO *bio, char **bytes) {
    return BIO_get_mem_data(bio, bytes);
}

/// SSL_CTX_get_ex_new_index and SSL_get_ex_new_index are macros.
static inline int bluebonnet_context_index(CRYPTO_EX_free *release) {
    return SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, release);
}

static inline int bluebonnet_connection_index(CRYPTO_EX_free *release) {
    return SSL_get_ex_new_index(0, NULL, NULL, NULL, release);
}

/// Returns a time in seconds since 1970, or INT64_MIN if it is invalid; tm belongs to several modules.
static inline int64_t bluebonnet_seconds_of_time(const ASN1_TIME *time) {
    struct tm parts;
    return ASN1_TIME_to_tm(time, &parts) == 1 ? (int64_t)timegm(&parts) : INT64_MIN;
}

/// Returns the flags of RFC 2253's form of a name for X509_NAME_print_ex, which several nested macros define. Letters
/// outside of ASCII are not escaped.
static inline unsigned long bluebonnet_name_flags(void) {
    return XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB;
}

#endif
