// The kernel's routing socket (rtnetlink) and network addresses, whose structures belong to several modules.
#ifndef BLUEBONNET_RTNETLINK_H
#define BLUEBONNET_RTNETLINK_H

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_arp.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netdb.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// An IPv4 (4 bytes) or IPv6 (16 bytes) address in network order; 0 bytes are none.
struct bluebonnet_address {
    uint8_t bytes[16];
    uint32_t byte_count;
    /// The interface that a link-local address belongs to; 0 is none.
    uint32_t interface;
};

static inline struct bluebonnet_address bluebonnet_address_from(const struct sockaddr *address) {
    struct bluebonnet_address result = {{0}, 0, 0};
    if (address->sa_family == AF_INET) {
        memcpy(result.bytes, &((const struct sockaddr_in *)address)->sin_addr, 4);
        result.byte_count = 4;
    } else if (address->sa_family == AF_INET6) {
        memcpy(result.bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
        result.byte_count = 16;
        result.interface = ((const struct sockaddr_in6 *)address)->sin6_scope_id;
    }
    return result;
}

/// Reads an address from its text, without an interface.
static inline struct bluebonnet_address bluebonnet_address_parse(const char *text) {
    struct bluebonnet_address result = {{0}, 0, 0};
    if (inet_pton(AF_INET, text, result.bytes) == 1) result.byte_count = 4;
    else if (inet_pton(AF_INET6, text, result.bytes) == 1) result.byte_count = 16;
    return result;
}

/// Writes an address of 4 or 16 bytes as text into `text`, which has room for INET6_ADDRSTRLEN.
static inline void bluebonnet_address_format(const uint8_t *bytes, uint32_t byte_count, char *text) {
    inet_ntop(byte_count == 4 ? AF_INET : AF_INET6, bytes, text, INET6_ADDRSTRLEN);
}

static inline struct bluebonnet_address bluebonnet_address_and_port(
    const struct sockaddr_storage *address, uint16_t *port) {
    // The port is at the same place in both structures.
    *port = ntohs(((const struct sockaddr_in *)address)->sin_port);
    return bluebonnet_address_from((const struct sockaddr *)address);
}

/// The address and the port of a `struct sockaddr`.
static inline struct bluebonnet_address bluebonnet_socket_address(const void *address, uint16_t *port) {
    return bluebonnet_address_and_port((const struct sockaddr_storage *)address, port);
}

/// Writes a `struct sockaddr` with an address of 4 or 16 bytes, for which there is room; gives its length.
static inline uint32_t bluebonnet_set_socket_address(
    void *target, const uint8_t *bytes, uint32_t byte_count, uint16_t port) {
    if (byte_count == 4) {
        struct sockaddr_in address;
        memset(&address, 0, sizeof address);
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        memcpy(&address.sin_addr, bytes, 4);
        memcpy(target, &address, sizeof address);
        return sizeof address;
    }
    struct sockaddr_in6 address;
    memset(&address, 0, sizeof address);
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    memcpy(&address.sin6_addr, bytes, 16);
    memcpy(target, &address, sizeof address);
    return sizeof address;
}

/// A new TCP socket that begins to connect, or -1.
static inline int bluebonnet_begin_connecting(const uint8_t *bytes, uint32_t byte_count, uint16_t port) {
    struct sockaddr_storage address;
    socklen_t length = bluebonnet_set_socket_address(&address, bytes, byte_count, port);
    int descriptor = socket(
        byte_count == 4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    if (connect(descriptor, (struct sockaddr *)&address, length) == 0 || errno == EINPROGRESS) return descriptor;
    close(descriptor);
    return -1;
}

/// The address that a socket sends from; of none that is no Internet socket. Sets `port`, too.
static inline struct bluebonnet_address bluebonnet_local_address(int descriptor, uint16_t *port) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    struct bluebonnet_address none = {{0}, 0, 0};
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) return none;
    return bluebonnet_address_and_port(&address, port);
}

/// The address that a socket is connected to; of none that is no connected Internet socket. Sets `port`, too.
static inline struct bluebonnet_address bluebonnet_peer_address(int descriptor, uint16_t *port) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    struct bluebonnet_address none = {{0}, 0, 0};
    if (getpeername(descriptor, (struct sockaddr *)&address, &length) != 0) return none;
    return bluebonnet_address_and_port(&address, port);
}

/// Looks a name up; may take long. Gives getaddrinfo's code, and the first `capacity` addresses in its order.
static inline int bluebonnet_resolve(
    const char *name, struct bluebonnet_address *addresses, uint32_t capacity, uint32_t *count) {
    struct addrinfo hints, *list = 0;
    memset(&hints, 0, sizeof hints);
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    *count = 0;
    int result = getaddrinfo(name, 0, &hints, &list);
    if (result != 0) return result;
    for (struct addrinfo *entry = list; entry != 0 && *count < capacity; entry = entry->ai_next) {
        addresses[*count] = bluebonnet_address_from(entry->ai_addr);
        if (addresses[*count].byte_count > 0) *count += 1;
    }
    freeaddrinfo(list);
    return 0;
}

/// Opens a routing socket that hears of `groups`, a set of bits; -1 when the kernel refuses. A receive buffer of 0
/// bytes is the system's own size.
static inline int bluebonnet_netlink_open(uint32_t groups, int buffer_byte_count) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    if (buffer_byte_count > 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer_byte_count, sizeof buffer_byte_count);
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_groups = groups;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
    return -1;
}

/// The number that others would send to (nl_pid); 0 when there is none.
static inline uint32_t bluebonnet_netlink_port(int descriptor) {
    struct sockaddr_nl address;
    socklen_t length = sizeof address;
    return getsockname(descriptor, (struct sockaddr *)&address, &length) == 0 ? address.nl_pid : 0;
}

/// Sends to a port, of which the kernel's is 0; gives what sendto gives.
static inline ssize_t bluebonnet_netlink_send(int descriptor, const void *bytes, size_t count, uint32_t port) {
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_pid = port;
    return sendto(descriptor, bytes, count, 0, (struct sockaddr *)&address, sizeof address);
}

/// Takes the next datagram without waiting, and the port of its sender; gives its whole length, which may be more than
/// fits, or what recvfrom gives.
static inline ssize_t bluebonnet_netlink_receive(int descriptor, void *buffer, size_t capacity, uint32_t *sender) {
    struct sockaddr_nl address;
    socklen_t length = sizeof address;
    memset(&address, 0, sizeof address);
    ssize_t count = recvfrom(
        descriptor, buffer, capacity, MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&address, &length);
    *sender = address.nl_pid;
    return count;
}

#endif
