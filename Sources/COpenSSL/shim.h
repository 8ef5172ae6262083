// Only what Swift cannot call: OpenSSL's macros.
#ifndef BLUEBONNET_COPENSSL_SHIM_H
#define BLUEBONNET_COPENSSL_SHIM_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#endif
