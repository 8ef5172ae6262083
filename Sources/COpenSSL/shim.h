// Only what Swift cannot call: OpenSSL's macros.
#ifndef BLUEBONNET_COPENSSL_SHIM_H
#define BLUEBONNET_COPENSSL_SHIM_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/// RFC 2253's form of a name, for X509_NAME_print_ex; several macros deep. Letters outside of ASCII stay as they are.
static inline unsigned long bluebonnet_name_flags(void) {
    return XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB;
}

#endif
