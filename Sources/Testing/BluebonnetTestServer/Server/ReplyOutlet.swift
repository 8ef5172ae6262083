// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore

/// Where a reply goes: a connection of HTTP/1.1 or a stream of HTTP/2. Event-loop thread only.
protocol ReplyOutlet: AnyObject {
    /// Sends what a step sends. `isLast` says that no step comes after it.
    func send(_ step: Reply.Step, isLast: Bool) -> EventLoopFuture<Void>
    /// Ends the response, after its last step.
    func finish()
    /// Says that the connection takes no more requests.
    func goAway(includesRequest: Bool) -> EventLoopFuture<Void>
    /// Closes the connection in good order.
    func close()
    /// Closes the connection behind the back of TLS.
    func closeWithoutNotice()
    /// Breaks the connection off.
    func reset()
    /// Ends the stream with an error code.
    func resetStream(code: UInt32)
    /// Joins the connection to a server on the loopback interface.
    func becomeTunnel(toPort port: Int, stall: TunnelStall?)
}
