#include "EarlyOpenSSL.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int has_started;
static void (*late_work)(void);

static void work_late(void) {
    if (late_work) late_work();
}

// 101 is the first priority that is not reserved. Constructors without a priority run later.
__attribute__((constructor(101))) static void start(void) {
    if (getenv("EXIT_PROBE_STARTS_OPENSSL")) has_started = OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, NULL);
    if (getenv("EXIT_PROBE_WORKS_LATE")) atexit(work_late);
}

int exit_probe_has_started_openssl(void) { return has_started; }

void exit_probe_set_late_work(void (*work)(void)) { late_work = work; }

static int milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

int exit_probe_child_exits(int status) {
    int start = milliseconds(), end = 0;
    pid_t child = fork();
    if (child == 0) exit(status);
    if (child < 0 || waitpid(child, &end, 0) != child || !WIFEXITED(end) || WEXITSTATUS(end) != status) return -1;
    return milliseconds() - start;
}
