// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT
#ifndef BLUEBONNET_SOCKET_LOOP_H
#define BLUEBONNET_SOCKET_LOOP_H

#include <curl/curl.h>
#include <stdint.h>

/// A multi handle whose sockets and timer are watched with epoll. It does not depend on the transfers.
struct socket_loop {
    CURLM *multi;
    int epoll;
    /// The time of libcurl's next timeout, in milliseconds of the monotonic clock: 0 is immediately, -1 never.
    int64_t deadline;
};

/// Returns 0, or -1 if memory or descriptors are exhausted. `socket_loop_close` must be called in both cases.
int socket_loop_open(struct socket_loop *loop);

/// Waits until a socket is ready or the deadline has passed, and calls libcurl for everything that is due.
void socket_loop_turn(struct socket_loop *loop);

void socket_loop_close(struct socket_loop *loop);

#endif
