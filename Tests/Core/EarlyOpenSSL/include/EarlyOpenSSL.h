// Code that runs before any code of the program, and calls that Swift cannot make.
//
// EXIT_PROBE_STARTS_OPENSSL in the environment: starts OpenSSL, with its clean-up at exit, as another library may do.
// EXIT_PROBE_WORKS_LATE: registers an atexit function, which therefore runs after the program's atexit functions.
#ifndef EXIT_PROBE_EARLY_OPENSSL_H
#define EXIT_PROBE_EARLY_OPENSSL_H

/// Whether OpenSSL was started.
int exit_probe_has_started_openssl(void);

/// Sets the function that the atexit function calls.
void exit_probe_set_late_work(void (*work)(void));

/// Forks a child that exits at once. Returns the milliseconds until it ended, or -1 if its status differs.
int exit_probe_child_exits(int status);

#endif
