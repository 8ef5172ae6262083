// Makes it safe to exit while threads of the library use OpenSSL. OpenSSL's clean-up at exit frees memory that those
// threads are using.
//
// The clean-up is not registered: when the program is loaded, before other code can start OpenSSL, this module calls
// OpenSSL with OPENSSL_INIT_NO_ATEXIT. OpenSSL may have been started earlier, as in a program that loads the library
// late (dlopen). An exiting process therefore first waits until the library's threads have left OpenSSL, for one
// second at most, and the threads do not enter OpenSSL again. The program's own atexit functions run before that and
// may use the library.
//
// Destructors, and atexit functions that were registered before this module was loaded, run after that. They may use
// functions that work on the calling thread, for example a digest, but must not wait for an operation: the network
// thread is stopped.
//
// A child of fork that does not call exec lacks the library's threads, and does not wait for threads when it exits.
#ifndef BLUEBONNET_CEXIT_H
#define BLUEBONNET_CEXIT_H

/// Marks the beginning of a use of OpenSSL by the calling thread for the library. If the process is exiting, the
/// function returns only to the thread that called exit, and to a thread that already uses OpenSSL.
void bluebonnet_openssl_use_begins(void);

/// Marks the end of a use. Each call matches a call of bluebonnet_openssl_use_begins.
void bluebonnet_openssl_use_ends(void);

#endif
