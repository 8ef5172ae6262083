// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore

/// The destination of a reply: an HTTP/1.1 connection or an HTTP/2 stream. Event-loop thread only.
protocol ReplyOutlet: AnyObject {
    /// Sends the output of a step. `isLast` means that no further step follows.
    func send(_ step: Reply.Step, isLast: Bool) -> EventLoopFuture<Void>
    /// Ends the response, after its last step.
    func finish()
    /// Announces that the connection accepts no further requests.
    func goAway(includesRequest: Bool) -> EventLoopFuture<Void>
    /// Closes the connection gracefully.
    func close()
    /// Closes the connection without notifying TLS.
    func closeWithoutNotice()
    /// Aborts the connection.
    func reset()
    /// Ends the stream with an error code.
    func resetStream(code: UInt32)
    /// Connects the connection to a server on the loopback interface.
    func becomeTunnel(toPort port: Int, stall: TunnelStall?)
}
