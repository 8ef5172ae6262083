// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT
#include "SocketLoop.h"

#include <limits.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { event_capacity = 256 };

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

static int timer_changed(CURLM *multi, long milliseconds, void *context) {
    struct socket_loop *loop = context;
    (void)multi;
    if (milliseconds > 0)
        loop->deadline = now() + milliseconds;
    else
        loop->deadline = milliseconds;
    return 0;
}

/// Adds or modifies a descriptor. The first attempt can fail, because the kernel drops closed descriptors, and libcurl
/// may reuse their numbers without notice.
static int watch(int epoll, int is_new, struct epoll_event *event) {
    int socket = event->data.fd;
    if (epoll_ctl(epoll, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, event) == 0) return 0;
    return epoll_ctl(epoll, is_new ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, event);
}

/// libcurl stores a mark for each socket, by which the first call for a socket is recognized.
static int socket_changed(CURL *easy, curl_socket_t socket, int what, void *context, void *mark) {
    struct socket_loop *loop = context;
    struct epoll_event event = {.data.fd = socket};
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(loop->epoll, EPOLL_CTL_DEL, socket, NULL);
        return 0;
    }
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    if (mark == NULL) curl_multi_assign(loop->multi, socket, loop);
    return watch(loop->epoll, mark == NULL, &event);
}

int socket_loop_open(struct socket_loop *loop) {
    loop->deadline = -1;
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->multi = curl_multi_init();
    if (loop->epoll < 0 || loop->multi == NULL) return -1;
    curl_multi_setopt(loop->multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
    curl_multi_setopt(loop->multi, CURLMOPT_SOCKETDATA, loop);
    curl_multi_setopt(loop->multi, CURLMOPT_TIMERFUNCTION, timer_changed);
    curl_multi_setopt(loop->multi, CURLMOPT_TIMERDATA, loop);
    return 0;
}

void socket_loop_close(struct socket_loop *loop) {
    if (loop->multi != NULL) curl_multi_cleanup(loop->multi);
    if (loop->epoll >= 0) close(loop->epoll);
}

/// Returns the timeout for epoll: -1 means no limit.
static int patience(const struct socket_loop *loop) {
    if (loop->deadline <= 0) return (int)loop->deadline;
    int64_t left = loop->deadline - now();
    if (left < 0) return 0;
    return left > INT_MAX ? INT_MAX : (int)left;
}

static void act(struct socket_loop *loop, const struct epoll_event *event) {
    int ready = 0;
    int running;
    if (event->events & EPOLLIN) ready |= CURL_CSELECT_IN;
    if (event->events & EPOLLOUT) ready |= CURL_CSELECT_OUT;
    if (event->events & (EPOLLERR | EPOLLHUP)) ready |= CURL_CSELECT_ERR;
    curl_multi_socket_action(loop->multi, event->data.fd, ready, &running);
}

void socket_loop_turn(struct socket_loop *loop) {
    struct epoll_event events[event_capacity];
    int running;
    int count = epoll_wait(loop->epoll, events, event_capacity, patience(loop));
    for (int index = 0; index < count; index++) act(loop, &events[index]);
    if (patience(loop) != 0) return;
    loop->deadline = -1;
    curl_multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}
