// What makes it safe to exit while threads of the library use OpenSSL. OpenSSL's clean-up at exit frees what those
// threads are using.
//
// The clean-up is not registered: OpenSSL is told so when the program is loaded, before anybody else can start it
// (OPENSSL_INIT_NO_ATEXIT). Somebody may have been earlier, as in a program that loads the library late (dlopen). So a
// process that exits first waits until the library's threads have left OpenSSL, for a second at most, and the threads
// do not enter it again. The program's own functions of atexit run before that, and may use the library.
//
// Functions of atexit that were registered before this module was loaded, and destructors, run after that. They may use
// what works on the calling thread, a digest for instance, but must not wait for an operation: the network thread
// stands still.
//
// A child of fork that does not call exec has none of the library's threads, and waits for none when it exits.
#ifndef BLUEBONNET_CEXIT_H
#define BLUEBONNET_CEXIT_H

/// A thread is about to use OpenSSL for the library. When the process is exiting, it returns to the thread that called
/// exit only, and to one that is in such a use already.
void bluebonnet_openssl_use_begins(void);

/// The thread has left OpenSSL. As many calls as those of bluebonnet_openssl_use_begins.
void bluebonnet_openssl_use_ends(void);

#endif
