// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#include "CExit.h"

#include <openssl/crypto.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_WAIT_MS = 1000 };

static atomic_int use_count;
static atomic_bool is_exiting;
// The thread that called exit, once is_exiting is true.
static pthread_t exiting_thread;
// A thread that exits during its own use must not wait for itself.
static _Thread_local int own_use_count;

void bluebonnet_openssl_use_begins(void) {
    // In this order: either this thread sees that the exit has begun, or the exiting thread sees this use.
    atomic_fetch_add(&use_count, 1);
    // A thread that already uses OpenSSL continues: it may hold a lock that later steps of exit need.
    if (own_use_count++ > 0 || !atomic_load(&is_exiting)) return;
    // Later steps of exit may use the library: they run on the thread that runs OpenSSL's clean-up, if there is one.
    if (pthread_equal(pthread_self(), exiting_thread)) return;
    atomic_fetch_sub(&use_count, 1);
    while (true) pause();  // the process is exiting
}

void bluebonnet_openssl_use_ends(void) {
    own_use_count--;
    atomic_fetch_sub(&use_count, 1);
}

// Functions of atexit run in reverse order: this one runs before the clean-up of an OpenSSL that was started earlier.
static void wait_for_users(void) {
    exiting_thread = pthread_self();
    atomic_store(&is_exiting, true);
    const struct timespec millisecond = {.tv_nsec = 1000000};
    for (int waited = 0; waited < LONGEST_WAIT_MS && atomic_load(&use_count) > own_use_count; waited++) {
        nanosleep(&millisecond, NULL);
    }
}

// A child of fork has one thread, and does not exit because its parent exits.
static void forget_other_threads(void) {
    atomic_store(&use_count, own_use_count);
    atomic_store(&is_exiting, false);
}

__attribute__((constructor)) static void start_openssl(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    pthread_atfork(NULL, NULL, forget_other_threads);
    atexit(wait_for_users);
}
