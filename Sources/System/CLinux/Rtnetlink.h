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

/// An IPv4 (4 bytes) or IPv6 (16 bytes) address in network order; 0 bytes mean no address.
struct bluebonnet_address {
    uint8_t bytes[16];
    uint32_t byte_count;
    /// The interface that a link-local address belongs to; 0 means no interface.
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

/// Parses an address from its text, without an interface.
static inline struct bluebonnet_address bluebonnet_address_parse(const char *text) {
    struct bluebonnet_address result = {{0}, 0, 0};
    if (inet_pton(AF_INET, text, result.bytes) == 1) result.byte_count = 4;
    else if (inet_pton(AF_INET6, text, result.bytes) == 1) result.byte_count = 16;
    return result;
}

/// Writes an address of 4 or 16 bytes as text into `text`, which must have space for INET6_ADDRSTRLEN bytes.
static inline void bluebonnet_address_format(const uint8_t *bytes, uint32_t byte_count, char *text) {
    inet_ntop(byte_count == 4 ? AF_INET : AF_INET6, bytes, text, INET6_ADDRSTRLEN);
}

static inline struct bluebonnet_address bluebonnet_address_and_port(
    const struct sockaddr_storage *address, uint16_t *port) {
    // The port is at the same offset in both structures.
    *port = ntohs(((const struct sockaddr_in *)address)->sin_port);
    return bluebonnet_address_from((const struct sockaddr *)address);
}

/// Returns the address and the port of a `struct sockaddr`.
static inline struct bluebonnet_address bluebonnet_socket_address(const void *address, uint16_t *port) {
    return bluebonnet_address_and_port((const struct sockaddr_storage *)address, port);
}

/// Writes a `struct sockaddr` with an address of 4 or 16 bytes to `target`, which must have enough space. Returns the
/// length of the structure.
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

/// Returns a new TCP socket that begins to connect, or -1.
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

/// Returns the local address of a socket and sets `port`. The address has 0 bytes if the socket is not an Internet
/// socket.
static inline struct bluebonnet_address bluebonnet_local_address(int descriptor, uint16_t *port) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    struct bluebonnet_address none = {{0}, 0, 0};
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) return none;
    return bluebonnet_address_and_port(&address, port);
}

/// Returns the address that a socket is connected to and sets `port`. The address has 0 bytes if the socket is not a
/// connected Internet socket.
static inline struct bluebonnet_address bluebonnet_peer_address(int descriptor, uint16_t *port) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    struct bluebonnet_address none = {{0}, 0, 0};
    if (getpeername(descriptor, (struct sockaddr *)&address, &length) != 0) return none;
    return bluebonnet_address_and_port(&address, port);
}

/// Looks up a name, which may take long. Returns getaddrinfo's code, and stores the first `capacity` addresses in its
/// order.
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

/// Opens a routing socket that receives the notifications of `groups`, a bit set. Returns -1 if the kernel refuses. A
/// receive buffer of 0 bytes has the system's default size.
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

/// Returns the port that others would send to (nl_pid); 0 if there is no port.
static inline uint32_t bluebonnet_netlink_port(int descriptor) {
    struct sockaddr_nl address;
    socklen_t length = sizeof address;
    return getsockname(descriptor, (struct sockaddr *)&address, &length) == 0 ? address.nl_pid : 0;
}

/// Sends to a port; the kernel's port is 0. Returns the result of sendto.
static inline ssize_t bluebonnet_netlink_send(int descriptor, const void *bytes, size_t count, uint32_t port) {
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_pid = port;
    return sendto(descriptor, bytes, count, 0, (struct sockaddr *)&address, sizeof address);
}

/// Receives the next datagram without waiting, and the port of its sender. Returns the datagram's full length, which
/// may exceed `capacity`, or the error result of recvfrom.
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
