// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT
#ifndef BLUEBONNET_SOCKET_LOOP_H
#define BLUEBONNET_SOCKET_LOOP_H

#include <curl/curl.h>
#include <stdint.h>

/// A multi handle whose sockets and timer are watched with epoll. It does not know what is transferred.
struct socket_loop {
    CURLM *multi;
    int epoll;
    /// When libcurl wants to be called, in milliseconds of the monotonic clock: 0 is at once, -1 never.
    int64_t deadline;
};

/// Returns 0, or -1 when there is no memory or no descriptor left; `socket_loop_close` is due in both cases.
int socket_loop_open(struct socket_loop *loop);

/// Waits until a socket is ready or the deadline has passed, and lets libcurl act on all that is due.
void socket_loop_turn(struct socket_loop *loop);

void socket_loop_close(struct socket_loop *loop);

#endif
