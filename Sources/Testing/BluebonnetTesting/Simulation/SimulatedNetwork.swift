// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// An in-memory network for managers in tests: a block of the program answers each request. A value with the block and
/// the clock; it does not know the transfers. Any thread.
final class SimulatedNetwork: Sendable {
    /// Returns the steps that follow the arrival of a request. Its task is cancelled if the transfer ends first.
    typealias Answer = @Sendable (SimulatedRequest) async -> [SimulatedStep]

    let answer: Answer
    /// The simulated time; nil for the machine's clock.
    let time: SimulatedTime?

    init(time: SimulatedTime?, answer: @escaping Answer) { (self.time, self.answer) = (time, answer) }

    /// The timers of transfers. Network thread only.
    var timers: NetworkTimers { time?.transfers.value ?? Self.timers.value }

    /// The timers of the process, made on the network thread at the first access.
    private static let timers = NetworkBound(NetworkTimers())
}

/// A request as it would be sent, with its whole body.
struct SimulatedRequest: Sendable {
    let url: URL
    let method: String
    /// The header fields in the order of sending, without those that libcurl adds.
    let headers: HeaderFields
    let body: Data
    /// The trailer section; empty without one.
    let trailers: HeaderFields
}

/// One event of an answer as a client would see it. After the last event the response is complete.
enum SimulatedStep: Sendable {
    /// Nothing happens for this time.
    case wait(Duration)
    /// The head of the response.
    case head(status: Int, fields: HeaderFields)
    /// Bytes of the body, still content-coded.
    case bytes(Data)
    /// The trailer section after the body.
    case trailers(HeaderFields)
    /// Nothing further happens.
    case stall
    /// The connection ends with an error.
    case fail(NetworkingError)
    /// The connection fails with an error, before any byte of the request is sent.
    case refuse(NetworkingError)
    /// The attempt to connect is never answered, and no byte of the request is sent.
    case neverConnect

    /// Whether no byte of the request is sent.
    var isUnsent: Bool {
        switch self {
        case .refuse, .neverConnect: true
        case .wait, .head, .bytes, .trailers, .stall, .fail: false
        }
    }
}
