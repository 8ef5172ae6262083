// What makes it safe to exit while threads of the library use OpenSSL. OpenSSL's clean-up at exit frees what those
// threads are using.
//
// The clean-up is not registered: OpenSSL is told so when the program is loaded, before anybody else can start it
// (OPENSSL_INIT_NO_ATEXIT). Where somebody was earlier, as in a program that loads the library late (dlopen), the
// clean-up first waits until the library's threads have left OpenSSL, for a second at most, and they do not enter it
// again.
#ifndef BLUEBONNET_CEXIT_H
#define BLUEBONNET_CEXIT_H

/// A thread of the library is about to use OpenSSL. Does not return when OpenSSL is being cleaned up.
void bluebonnet_openssl_use_begins(void);

/// The thread has left OpenSSL. As many calls as those of bluebonnet_openssl_use_begins.
void bluebonnet_openssl_use_ends(void);

#endif
