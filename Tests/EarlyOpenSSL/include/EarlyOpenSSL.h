// Starts OpenSSL before anything of the program's own, with its clean-up at exit, where the environment has
// EXIT_PROBE_STARTS_OPENSSL: as another library may do.
#ifndef EXIT_PROBE_EARLY_OPENSSL_H
#define EXIT_PROBE_EARLY_OPENSSL_H

/// Whether that was done.
int exit_probe_has_started_openssl(void);

#endif
