// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// A network in memory for the managers of tests: a program's block answers each request. It knows the block, the time
/// and nothing of the transfers. Any thread.
package final class SimulatedNetwork: Sendable {
    /// Gives what happens after a request has arrived. Cancelled when nobody waits for the answer any more.
    package typealias Answer = @Sendable (SimulatedRequest) async -> [SimulatedStep]

    let answer: Answer
    /// Nil when the machine's clock counts.
    let time: SimulatedTime?
    /// What its maker keeps with it, for instance a record of the requests.
    package let record: any AnyObject & Sendable

    package init(record: any AnyObject & Sendable, time: SimulatedTime?, answer: @escaping Answer) {
        (self.record, self.time, self.answer) = (record, time, answer)
    }

    /// The timers of transfers. Network thread only.
    var timers: NetworkTimers { time?.transfers.value ?? Self.timers.value }

    /// The process's; made on the network thread, where they are first asked for.
    private static let timers = NetworkBound(NetworkTimers(loop: NetworkThread.shared.eventLoop))
}

/// A request as it would be sent, with its whole body.
package struct SimulatedRequest: Sendable {
    package let url: URL
    package let method: String
    /// In the order in which they would go out, without those that libcurl adds.
    package let headers: HeaderFields
    package let body: Data
}

/// One event of an answer, in the order in which a client would see them. After the last one the response is over.
package enum SimulatedStep: Sendable {
    /// Nothing happens for this long.
    case wait(Duration)
    /// The head of the response.
    case head(status: Int, fields: HeaderFields)
    /// Bytes of the body, still content-coded.
    case bytes(Data)
    /// Nothing happens any more.
    case stall
    /// The connection ends with an error.
    case fail(NetworkingError)
    /// No connection is made, because of an error; nothing of the request has left.
    case refuse(NetworkingError)
    /// The attempt to connect is never answered; nothing of the request has left.
    case neverConnect

    /// Whether the request reaches nobody.
    var isUnsent: Bool {
        switch self {
        case .refuse, .neverConnect: true
        case .wait, .head, .bytes, .stall, .fail: false
        }
    }
}
