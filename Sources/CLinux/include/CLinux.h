// The parts of Linux that the Glibc module leaves out: epoll, eventfd, timerfd.
#ifndef BLUEBONNET_CLINUX_H
#define BLUEBONNET_CLINUX_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

/// EPOLL_CTL_* and EPOLL* are macros or enumerations that Swift imports with other types; events carry a union.
static inline int bluebonnet_epoll_control(int epoll, int operation, int descriptor, unsigned events, unsigned long long data) {
    struct epoll_event event;
    event.events = events;
    event.data.u64 = data;
    return epoll_ctl(epoll, operation, descriptor, &event);
}

/// prctl is variadic. Sets the name that the kernel shows for the calling thread, of which it keeps 15 characters.
static inline void bluebonnet_set_thread_name(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

/// The token of an event, out of its union.
static inline unsigned long long bluebonnet_epoll_data(const struct epoll_event *event) {
    return event->data.u64;
}

#endif
