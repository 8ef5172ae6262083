// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation
internal import Glibc

/// A small HTTP/1.1 server for pages and figures about a program: GET and HEAD only, without bodies of requests and
/// without TLS. One thread serves all connections and never waits for a client. All members may be used from any
/// thread.
///
/// It is made for few readers who look on while the program does its work: a client that is slow, silent or malicious
/// costs bounded memory and a descriptor, and no time of the program's other threads.
package final class Responder: Sendable {
    /// The address, with the port that the system chose.
    package let address: ServingAddress
    private let inbox: ResponderInbox

    /// Listens on an address, and serves requests on a new thread until `stop()` is called.
    ///
    /// - Parameters:
    ///   - access: decides who may read.
    ///   - onTopics: called on the responder's thread with the topics that clients wait for, after each change.
    ///   - reply: answers requests, on the responder's thread. It must not block.
    /// - Throws: `ServingError` if the address is not possible or in use.
    package init(
        on address: ServingAddress, access: AccessRule, limits: ResponderLimits = ResponderLimits(),
        onTopics: @escaping @Sendable (Set<String>) -> Void = { _ in },
        reply: @escaping @Sendable (ServedRequest) -> ServedReply
    ) throws(ServingError) {
        inbox = try ResponderInbox()
        let listener = bluebonnet_listen(address.host, address.isIPv6, UInt16(address.port))
        guard listener >= 0 else {
            throw ServingError(message: "cannot listen on \(address): \(SystemText.text(of: -listener))")
        }
        self.address = ServingAddress(host: address.host, port: Int(bluebonnet_local_port(listener)))
        let epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard epoll >= 0 else {
            close(listener)
            throw ServingError(message: "cannot listen on \(address): \(SystemText.lastError)")
        }
        let (inbox, rule) = (inbox, ResponderRule(access: access, limits: limits, onTopics: onTopics, reply: reply))
        Thread.detachNewThread {
            bluebonnet_set_thread_name("bluebonnet.page")
            var loop = ResponderLoop(epoll: epoll, listener: listener, inbox: inbox, rule)
            loop.run()
        }
    }

    deinit { inbox.stop() }

    /// Gives data to all clients that wait for a topic. Data that is published faster than it can be passed on replaces
    /// earlier data.
    package func publish(_ data: [UInt8], topic: String) { inbox.publish(data, topic: topic) }

    /// Closes all connections, and ends the thread.
    package func stop() { inbox.stop() }
}

/// How a responder answers.
struct ResponderRule: Sendable {
    let access: AccessRule
    let limits: ResponderLimits
    let onTopics: @Sendable (Set<String>) -> Void
    let reply: @Sendable (ServedRequest) -> ServedReply
}
