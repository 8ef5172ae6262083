// The parts of Linux that the Glibc module omits, or whose structures it shares with other modules, so that Swift
// cannot determine to which module a member belongs.
#ifndef BLUEBONNET_CLINUX_H
#define BLUEBONNET_CLINUX_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "Rtnetlink.h"

/// Returns whether an IP address is 127.0.0.0/8 or ::1.
static inline bool bluebonnet_is_loopback(const char *text, bool is_ipv6) {
    unsigned char bytes[16];
    if (inet_pton(is_ipv6 ? AF_INET6 : AF_INET, text, bytes) != 1) return false;
    return is_ipv6 ? memcmp(bytes, &in6addr_loopback, 16) == 0 : bytes[0] == 127;
}

/// Returns a listening non-blocking TCP socket on an IP address, or a negative errno; structures of socket addresses
/// belong to several modules. The kernel keeps at most 64 KiB for each direction of its connections.
static inline int bluebonnet_listen(const char *address, bool is_ipv6, uint16_t port) {
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    memset(&v4, 0, sizeof v4);
    memset(&v6, 0, sizeof v6);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    if (inet_pton(is_ipv6 ? AF_INET6 : AF_INET, address, is_ipv6 ? (void *)&v6.sin6_addr : (void *)&v4.sin_addr) != 1)
        return -EINVAL;
    int descriptor = socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    int on = 1, size = 32768;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (is_ipv6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    const struct sockaddr *name = is_ipv6 ? (const struct sockaddr *)&v6 : (const struct sockaddr *)&v4;
    if (bind(descriptor, name, is_ipv6 ? sizeof v6 : sizeof v4) < 0 || listen(descriptor, 128) < 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

/// Returns the port of a bound TCP socket; 0 for any other socket.
static inline uint16_t bluebonnet_local_port(int descriptor) {
    struct sockaddr_in6 name;
    socklen_t length = sizeof name;
    memset(&name, 0, sizeof name);
    if (getsockname(descriptor, (struct sockaddr *)&name, &length) < 0) return 0;
    return ntohs(name.sin6_port);  // at the same place as sin_port
}

/// Changes an epoll registration; epoll_event contains a union.
static inline int bluebonnet_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t data) {
    struct epoll_event event;
    event.events = events;
    event.data.u64 = data;
    return epoll_ctl(epoll, operation, descriptor, &event);
}

/// Returns how many milliseconds ago a TCP socket last received bytes; 0 for any other socket.
static inline uint32_t bluebonnet_data_age(int socket) {
    struct tcp_info information;
    socklen_t length = sizeof information;
    memset(&information, 0, sizeof information);
    getsockopt(socket, IPPROTO_TCP, TCP_INFO, &information, &length);
    return information.tcpi_last_data_recv;
}

/// Returns the token of an event, which is in a union.
static inline uint64_t bluebonnet_epoll_data(const struct epoll_event *event) {
    return event->data.u64;
}

/// Returns a clock's time in nanoseconds; timespec belongs to several modules.
static inline uint64_t bluebonnet_nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/// Arms a timerfd for an instant of the monotonic clock; itimerspec contains timespec.
static inline void bluebonnet_arm_timer(int timer, uint64_t deadline) {
    struct itimerspec setting = {{0, 0}, {0, 0}};
    setting.it_value.tv_sec = (time_t)(deadline / 1000000000u);
    setting.it_value.tv_nsec = (long)(deadline % 1000000000u);
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &setting, 0);
}

/// The attributes of a file that Bluebonnet uses; stat belongs to several modules.
struct bluebonnet_file {
    bool is_regular;
    /// The type of the file, for example S_IFREG.
    uint32_t kind;
    /// The permission bits.
    uint32_t permissions;
    int64_t byte_count;
    /// The number of 512-byte blocks that the file occupies on disk; 0 for a file that the kernel generates, as in
    /// /proc and /sys.
    int64_t block_count;
    /// The file system. Together with the inode, it identifies the file independently of its path.
    uint64_t device;
    uint64_t inode;
    /// Nanoseconds since 1970.
    int64_t modified;
};

static inline struct bluebonnet_file bluebonnet_file_from(const struct stat *status) {
    int64_t modified = (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
    struct bluebonnet_file file = {S_ISREG(status->st_mode), status->st_mode & S_IFMT, status->st_mode & 07777, status->st_size,
                                   status->st_blocks, status->st_dev, status->st_ino, modified};
    return file;
}

/// Reads the attributes of an open file. Returns 0 on success.
static inline int bluebonnet_look_at(int descriptor, struct bluebonnet_file *file) {
    struct stat status;
    int result = fstat(descriptor, &status);
    if (result == 0) *file = bluebonnet_file_from(&status);
    return result;
}

/// Reads the attributes of the file that a path names, without following a symbolic link. The path is relative to a
/// folder's descriptor (or AT_FDCWD). Returns 0 on success.
static inline int bluebonnet_look_at_path(int folder, const char *path, struct bluebonnet_file *file) {
    struct stat status;
    int result = fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW);
    if (result == 0) *file = bluebonnet_file_from(&status);
    return result;
}

/// Like `bluebonnet_look_at_path`, but follows a symbolic link. Returns 0 on success.
static inline int bluebonnet_look_at_target(int folder, const char *path, struct bluebonnet_file *file) {
    struct stat status;
    int result = fstatat(folder, path, &status, 0);
    if (result == 0) *file = bluebonnet_file_from(&status);
    return result;
}

/// Opens a new unnamed file in a folder. O_TMPFILE has this name only in GNU's dialect, so the code uses __O_TMPFILE.
/// Returns a negative number if that is not possible.
static inline int bluebonnet_open_nameless(const char *folder) {
    return open(folder, __O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

/// Gives such a file a name that must be free, through /proc. The name is relative to a folder's descriptor (or
/// AT_FDCWD). Returns 0 on success.
static inline int bluebonnet_link_by_path(int descriptor, int folder, const char *name) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, link, folder, name, AT_SYMLINK_FOLLOW);
}

/// Links a file by its descriptor alone (AT_EMPTY_PATH), which takes half the time, if the kernel permits it. Since
/// Linux 6.10 the process that opened the file may do so; before, only a process with a capability. ENOENT means that
/// this is not permitted, or has its usual meaning.
static inline int bluebonnet_link(int descriptor, int folder, const char *name) {
    if (linkat(descriptor, "", folder, name, 0x1000) == 0) return 0;
    if (errno != ENOENT && errno != EPERM) return -1;
    return bluebonnet_link_by_path(descriptor, folder, name);
}

/// Makes an empty file share the contents of another file, which stay separate when one of the two is written to
/// (FICLONE). Returns 0 on success; most file systems cannot.
static inline int bluebonnet_clone(int source, int target) { return ioctl(target, FICLONE, source); }

/// Copies bytes between two files at the same offset in the kernel. Returns their number, 0 at the end of the source, or
/// -1.
static inline ssize_t bluebonnet_copy_range(int source, int target, int64_t offset, size_t count) {
    long long from = offset, to = offset;
    return syscall(SYS_copy_file_range, source, &from, target, &to, count, 0u);
}

/// Renames within a folder only if the new name is free (renameat2 with RENAME_NOREPLACE, which the Glibc module does
/// not declare). Returns 0 on success.
static inline int bluebonnet_rename_to_free_name(int folder, const char *name, const char *target) {
    return (int)syscall(SYS_renameat2, folder, name, folder, target, 1u);
}

/// Writes all data of a descriptor's file system to its disk (syncfs, which the Glibc module does not declare).
/// Returns 0 on success.
static inline int bluebonnet_sync_file_system(int descriptor) {
    return (int)syscall(SYS_syncfs, descriptor);
}

/// Makes a pipe that no child inherits; pipe2(2) is an extension. Returns 0 on success.
static inline int bluebonnet_pipe(int ends[2]) {
    return (int)syscall(SYS_pipe2, ends, O_CLOEXEC);
}

/// Reads the part of a file at an offset that is in memory (preadv2 with RWF_NOWAIT, which the Glibc module does not
/// declare). Does not wait for a disk: fails with EAGAIN if memory contains no part of it, and with EOPNOTSUPP on file
/// systems without support.
static inline ssize_t bluebonnet_read_cached(int descriptor, void *buffer, size_t count, int64_t offset) {
    struct iovec part = {buffer, count};
    long high = sizeof(long) < sizeof offset ? (long)(offset >> 32) : 0;
    return syscall(SYS_preadv2, descriptor, &part, 1ul, (long)offset, high, 8u);
}

/// Blocks a signal for the calling thread; sigset_t belongs to several modules.
static inline void bluebonnet_block_signal(int number) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, number);
    pthread_sigmask(SIG_BLOCK, &signals, 0);
}

/// Returns whether a text is an IPv4 or IPv6 address; the address structures belong to several modules.
static inline bool bluebonnet_is_address(const char *text) {
    struct in6_addr address;
    return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1;
}

/// Sets the name that the kernel shows for the calling thread, of which it keeps 15 characters; prctl is variadic.
static inline void bluebonnet_set_thread_name(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

#endif
