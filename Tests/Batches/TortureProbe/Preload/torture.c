// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT
//
// A library for LD_PRELOAD. It makes one call to the C library fail, or slow, in a program that asks for it.
//
// The program calls torture_arm() and torture_disarm(). In between, the library counts the calls from the named
// modules. The n-th call fails, or is late.
//
// In the environment:
// - TORTURE_CALL: the call; see the functions below. `write` and `read` mean ordinary files, `send` and `recv` mean
//   sockets. Related calls count together.
// - TORTURE_NTH: the number of the call that fails, from 1; 0 for none.
// - TORTURE_ERRNO: the error number; for getaddrinfo, its result. With 0, no call fails.
// - TORTURE_DELAY: the delay of the n-th and every later call, in microseconds.
// - TORTURE_MODULES: words separated by commas. A module counts if its file name contains a word. "program" is the
//   program itself.
// - TORTURE_REPORT: a file that receives the number of calls when the program disarms or ends.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <netdb.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define RANGE_LIMIT 64

struct range { const char *start, *end; };
static struct range ranges[RANGE_LIMIT];
static int range_count;
static const char *chosen = "", *modules = "", *report;
static long nth, error_number, delay;
static atomic_long count;
static atomic_int is_armed;

// malloc is called before this library is ready.
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static int is_named(const char *file) {
    char word[64];
    for (const char *rest = modules; *rest;) {
        size_t length = strcspn(rest, ",");
        if (length > 0 && length < sizeof word) {
            memcpy(word, rest, length);
            word[length] = 0;
            if (*file ? strstr(file, word) != NULL : strcmp(word, "program") == 0) return 1;
        }
        rest += length + (rest[length] == ',');
    }
    return 0;
}

static void add_range(const char *start, size_t size) {
    if (range_count < RANGE_LIMIT) ranges[range_count++] = (struct range){start, start + size};
}

static int look_at(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    if (!is_named(info->dlpi_name)) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && (header->p_flags & PF_X)) {
            add_range((const char *)info->dlpi_addr + header->p_vaddr, header->p_memsz);
        }
    }
    return 0;
}

void torture_arm(void) {
    if (!getenv("TORTURE_CALL")) return;
    chosen = getenv("TORTURE_CALL");
    if (getenv("TORTURE_MODULES")) modules = getenv("TORTURE_MODULES");
    report = getenv("TORTURE_REPORT");
    nth = number("TORTURE_NTH");
    error_number = number("TORTURE_ERRNO");
    delay = number("TORTURE_DELAY");
    dl_iterate_phdr(look_at, NULL);
    atomic_store(&is_armed, 1);
}

__attribute__((destructor)) void torture_disarm(void) {
    if (!atomic_exchange(&is_armed, 0) || !report) return;
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&count));
    long file = syscall(SYS_openat, AT_FDCWD, report, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) return;
    syscall(SYS_write, file, text, (size_t)length);
    syscall(SYS_close, file);
}

/// Whether a call must fail. Its delay, if any, passes first.
static int fails(const char *call, const void *caller) {
    if (!atomic_load_explicit(&is_armed, memory_order_relaxed) || strcmp(call, chosen) != 0) return 0;
    int counts = 0;
    for (int i = 0; i < range_count && !counts; i++) {
        counts = (const char *)caller >= ranges[i].start && (const char *)caller < ranges[i].end;
    }
    if (!counts) return 0;
    long own = atomic_fetch_add(&count, 1) + 1;
    if (delay && nth && own >= nth) usleep((useconds_t)delay);
    if (own != nth || error_number == 0) return 0;
    errno = (int)error_number;
    return 1;
}

static int is_file(int descriptor) {
    struct stat status;
    int saved = errno;
    int result = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    errno = saved;
    return result;
}

#define CALLER __builtin_return_address(0)
#define NEXT(name) \
    static __typeof__(name) *next; \
    if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define WRAP(call, type, name, parameters, arguments, failure) \
    type name parameters { \
        NEXT(name); \
        if (fails(call, CALLER)) return failure; \
        return next arguments; \
    }

#define WRAP_FILE(call, type, name, parameters, arguments) \
    type name parameters { \
        NEXT(name); \
        if (is_file(descriptor) && fails(call, CALLER)) return -1; \
        return next arguments; \
    }

WRAP("socket", int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1)
WRAP("connect", int, connect, (int socket, const struct sockaddr *address, socklen_t length),
     (socket, address, length), -1)
WRAP("send", ssize_t, send, (int socket, const void *bytes, size_t size, int flags), (socket, bytes, size, flags), -1)
WRAP("send", ssize_t, sendmsg, (int socket, const struct msghdr *message, int flags), (socket, message, flags), -1)
WRAP("recv", ssize_t, recv, (int socket, void *bytes, size_t size, int flags), (socket, bytes, size, flags), -1)
WRAP("epoll", int, epoll_ctl, (int epoll, int action, int descriptor, struct epoll_event *event),
     (epoll, action, descriptor, event), -1)
WRAP("epoll", int, epoll_create1, (int flags), (flags), -1)
WRAP("thread", int, pthread_create,
     (pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument),
     (thread, attributes, start, argument), (int)error_number)
WRAP("getaddrinfo", int, getaddrinfo,
     (const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **result),
     (host, service, hints, result), (int)error_number)
WRAP("fsync", int, fsync, (int descriptor), (descriptor), -1)
WRAP("fsync", int, fdatasync, (int descriptor), (descriptor), -1)
WRAP("rename", int, rename, (const char *from, const char *to), (from, to), -1)
WRAP("rename", int, renameat, (int from_folder, const char *from, int to_folder, const char *to),
     (from_folder, from, to_folder, to), -1)
WRAP("rename", int, renameat2, (int from_folder, const char *from, int to_folder, const char *to, unsigned flags),
     (from_folder, from, to_folder, to, flags), -1)
WRAP("rename", int, link, (const char *from, const char *to), (from, to), -1)
WRAP("rename", int, linkat, (int from_folder, const char *from, int to_folder, const char *to, int flags),
     (from_folder, from, to_folder, to, flags), -1)
WRAP("truncate", int, ftruncate, (int descriptor, off_t size), (descriptor, size), -1)
WRAP("truncate", int, ftruncate64, (int descriptor, off64_t size), (descriptor, size), -1)
WRAP_FILE("read", ssize_t, read, (int descriptor, void *bytes, size_t size), (descriptor, bytes, size))
WRAP_FILE("read", ssize_t, pread, (int descriptor, void *bytes, size_t size, off_t place),
          (descriptor, bytes, size, place))
WRAP_FILE("read", ssize_t, pread64, (int descriptor, void *bytes, size_t size, off64_t place),
          (descriptor, bytes, size, place))
WRAP_FILE("write", ssize_t, write, (int descriptor, const void *bytes, size_t size), (descriptor, bytes, size))
WRAP_FILE("write", ssize_t, writev, (int descriptor, const struct iovec *pieces, int count),
          (descriptor, pieces, count))
WRAP_FILE("write", ssize_t, pwrite, (int descriptor, const void *bytes, size_t size, off_t place),
          (descriptor, bytes, size, place))
WRAP_FILE("write", ssize_t, pwrite64, (int descriptor, const void *bytes, size_t size, off64_t place),
          (descriptor, bytes, size, place))

#define MODE(flags, mode) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | __O_TMPFILE)) { \
        va_list list; \
        va_start(list, flags); \
        mode = va_arg(list, mode_t); \
        va_end(list); \
    }

#define WRAP_OPEN(name) \
    int name(const char *path, int flags, ...) { \
        NEXT(name); \
        MODE(flags, mode) \
        return fails("open", CALLER) ? -1 : next(path, flags, mode); \
    }

#define WRAP_OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        NEXT(name); \
        MODE(flags, mode) \
        return fails("open", CALLER) ? -1 : next(folder, path, flags, mode); \
    }

WRAP_OPEN(open)
WRAP_OPEN(open64)
WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)
WRAP("open", FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
WRAP("open", FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL)

void *malloc(size_t size) { return fails("malloc", CALLER) ? NULL : __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return fails("malloc", CALLER) ? NULL : __libc_calloc(number, size); }
void *realloc(void *block, size_t size) { return fails("malloc", CALLER) ? NULL : __libc_realloc(block, size); }
