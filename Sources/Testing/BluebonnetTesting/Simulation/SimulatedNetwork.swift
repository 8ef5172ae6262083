// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// A network in memory for the managers of tests: a program's block answers each request. It knows the block, the time
/// and nothing of the transfers. Any thread.
final class SimulatedNetwork: Sendable {
    /// Gives what happens after a request has arrived. Cancelled when nobody waits for the answer any more.
    typealias Answer = @Sendable (SimulatedRequest) async -> [SimulatedStep]

    let answer: Answer
    /// Nil when the machine's clock counts.
    let time: SimulatedTime?

    init(time: SimulatedTime?, answer: @escaping Answer) { (self.time, self.answer) = (time, answer) }

    /// The timers of transfers. Network thread only.
    var timers: NetworkTimers { time?.transfers.value ?? Self.timers.value }

    /// The process's; made on the network thread, where they are first asked for.
    private static let timers = NetworkBound(NetworkTimers())
}

/// A request as it would be sent, with its whole body.
struct SimulatedRequest: Sendable {
    let url: URL
    let method: String
    /// In the order in which they would go out, without those that libcurl adds.
    let headers: HeaderFields
    let body: Data
}

/// One event of an answer, in the order in which a client would see them. After the last one the response is over.
enum SimulatedStep: Sendable {
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
