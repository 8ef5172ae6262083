// What a program may do before anything of its own, and what Swift cannot call.
//
// EXIT_PROBE_STARTS_OPENSSL in the environment: starts OpenSSL, with its clean-up at exit, as another library may do.
// EXIT_PROBE_WORKS_LATE: registers a function of atexit, which so runs after those of the program.
#ifndef EXIT_PROBE_EARLY_OPENSSL_H
#define EXIT_PROBE_EARLY_OPENSSL_H

/// Whether OpenSSL was started.
int exit_probe_has_started_openssl(void);

/// What the function of atexit calls.
void exit_probe_set_late_work(void (*work)(void));

/// Has a child of fork exit at once, and gives the milliseconds that this took; -1 when its status is another one.
int exit_probe_child_exits(int status);

#endif
