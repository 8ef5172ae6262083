// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// The response of one transfer: its head, what its body is for, and how long a body is read that is not the result. A
/// part of its exchange; network thread only.
struct IncomingResponse {
    /// What the body is for.
    enum Disposition {
        case undecided
        /// A block of the user decides; until then the body is not read.
        case awaitingDecision
        /// The result.
        case body(BodyReceiver)
        /// A part of the error, because the status is refused.
        case errorBody(BodyReceiver)
        /// Not decided: the request may be sent again. Until then the body is kept beside the result's.
        case held(BodyReceiver, BodyDestination)
        /// Nothing: the head has decided what follows. Nil when the interrupted body was complete already.
        case discard(HopDecision.Next?)
        case failed(NetworkingError)
    }

    var head: ResponseHead?
    private(set) var disposition = Disposition.undecided
    /// The limit for a body that is not the result; nil for the result's body, and before the decision.
    private var allowance: BodyAllowance?
    /// Why the transfer ended while a block decided what its response is for.
    var transferError: NetworkingError?
    /// Why the body of a refused response is not whole, or not decoded.
    var bodyError: NetworkingError?

    var isAwaitingDecision: Bool { if case .awaitingDecision = disposition { true } else { false } }
    var isHeld: Bool { if case .held = disposition { true } else { false } }
    /// The error that the held response would be.
    func heldError(of request: HTTPRequest) -> NetworkingError {
        let status = head.map { "status \($0.statusCode)" } ?? "nothing"
        var error = NetworkingError(
            .unacceptableStatus, "the server answered with \(status)", request: request.urlRequest,
            response: head?.urlResponse)
        if case .held(let receiver, _) = disposition { error.body = (receiver.sink as? MemorySink)?.data }
        return error
    }

    var isResult: Bool { if case .body = disposition { true } else { false } }

    /// - Parameter method: the request's, for the length of the body.
    mutating func setDisposition(_ new: Disposition, method: String = "") {
        disposition = new
        allowance = nil
        switch new {
        case .discard: limitBody(.connection, method)
        case .errorBody, .held(_, .error): limitBody(.error, method)
        case .undecided, .awaitingDecision, .body, .held, .failed: return
        }
    }

    private mutating func limitBody(_ purpose: BodyAllowance.Purpose, _ method: String) {
        allowance = head.map { BodyAllowance(purpose, $0, method: method, now: MonotonicClock.now()) }
    }

    /// When a body that is not the result is given up.
    var bodyDeadline: UInt64 { allowance?.end ?? .max }

    /// The transfer goes on after a pause, or after a limit of bytes a second has held it.
    mutating func noteContinuation(now: UInt64) { allowance?.beginAgain(now: now) }

    /// Takes body bytes.
    ///
    /// - Returns: how many bytes of a decoded body they made; nil when none was taken, because the sink is full or a
    ///   block decides.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, mustTake: Bool) throws(NetworkingError) -> Int? {
        switch disposition {
        case .undecided: return 0
        case .awaitingDecision: return nil
        case .failed(let error): throw error
        case .discard:
            allowance?.receive(bytes.count, now: MonotonicClock.roughly())
            guard allowance?.isUsedUp != true else {
                throw NetworkingError(.cancelled, "the rest of a body that nobody sees was not read")
            }
            return 0
        case .body(let receiver): return try Self.receive(bytes, receiver, mustTake)
        case .errorBody(let receiver):
            allowance?.receive(bytes.count, now: MonotonicClock.roughly())
            return try Self.receive(bytes, receiver, mustTake)
        case .held(let receiver, _):
            allowance?.receive(bytes.count, now: MonotonicClock.roughly())
            return try Self.receive(bytes, receiver, mustTake).map { _ in 0 }  // no progress of the result's
        }
    }

    private static func receive(
        _ bytes: UnsafeRawBufferPointer, _ receiver: BodyReceiver, _ mustTake: Bool
    ) throws(NetworkingError) -> Int? {
        guard receiver.sink.hasRoom || mustTake else { return nil }
        let before = receiver.sink.byteCount
        try receiver.receive(bytes)
        return Int(receiver.sink.byteCount - before)
    }
}

@available(*, unavailable)
extension IncomingResponse: Sendable {}
