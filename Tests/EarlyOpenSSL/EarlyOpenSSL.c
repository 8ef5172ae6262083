#include "EarlyOpenSSL.h"

#include <openssl/crypto.h>
#include <stdlib.h>

static int has_started;

// 101 is the first priority that is not reserved: constructors without one run later.
__attribute__((constructor(101))) static void start(void) {
    if (getenv("EXIT_PROBE_STARTS_OPENSSL")) has_started = OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, NULL);
}

int exit_probe_has_started_openssl(void) { return has_started; }
