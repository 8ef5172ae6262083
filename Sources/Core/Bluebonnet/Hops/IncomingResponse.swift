// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// The response of one transfer: its head, how its body is used, and how long a body is read that is not the result.
/// Part of its hop sequence; network thread only.
struct IncomingResponse {
    /// How the body is used.
    enum Disposition {
        case undecided
        /// A block of the program decides. The body is not read until then.
        case awaitingDecision
        /// The body of the result.
        case body(BodyReceiver)
        /// The body becomes part of the error, because the status is refused.
        case errorBody(BodyReceiver)
        /// Not decided, because the request may be retried. Until then the body is stored separately from the result's
        /// body.
        case undecidedRetry(BodyReceiver, BodyDestination)
        /// The body is discarded, because the head was decisive. Nil if the interrupted body was already complete.
        case discard(HopDecision.Next?)
        /// The body completes a stored one.
        case collect
        case failed(NetworkingError)
    }

    var head: ResponseHead?
    /// Whether the response comes from the cache.
    var isReplay = false
    private(set) var disposition = Disposition.undecided
    /// The limit for a body that is not the result; nil for the result's body, and before the decision.
    private var allowance: BodyAllowance?
    /// Why the transfer ended before the decision about its response.
    var transferError: NetworkingError?
    /// Why the body of a refused response is incomplete or not decoded.
    var bodyError: NetworkingError?

    var isAwaitingDecision: Bool { if case .awaitingDecision = disposition { true } else { false } }
    var awaitsRetryDecision: Bool { if case .undecidedRetry = disposition { true } else { false } }
    /// Returns the error that represents the refused response.
    func refusalError(of request: HTTPRequest) -> NetworkingError {
        let status = head.map { "status \($0.statusCode)" } ?? "nothing"
        var error = NetworkingError(
            .unacceptableStatus, "the server answered with \(status)", request: request.urlRequest,
            response: head?.urlResponse)
        if case .undecidedRetry(let receiver, _) = disposition { error.body = (receiver.sink as? MemorySink)?.data }
        return error
    }

    var isResult: Bool { if case .body = disposition { true } else { false } }

    /// Whether `receive` decodes the body.
    var isDecoded: Bool {
        switch disposition {
        case .body, .errorBody: true
        case .undecided, .awaitingDecision, .undecidedRetry, .discard, .collect, .failed: false
        }
    }

    /// The decoded bytes of a response that may be retried, which `receive` does not count.
    var undecidedByteCount: Int64? {
        if case .undecidedRetry(let receiver, _) = disposition { receiver.sink.byteCount } else { nil }
    }

    /// - Parameter method: the request's method, which affects the length of the body.
    mutating func setDisposition(_ new: Disposition, method: String = "") {
        disposition = new
        allowance = nil
        switch new {
        case .discard: limitBody(.connection, method)
        case .errorBody, .undecidedRetry(_, .error): limitBody(.error, method)
        case .undecided, .awaitingDecision, .body, .undecidedRetry, .collect, .failed: return
        }
    }

    private mutating func limitBody(_ purpose: BodyAllowance.Purpose, _ method: String) {
        allowance = head.map { BodyAllowance(purpose, $0, method: method, now: MonotonicClock.now()) }
    }

    /// The instant at which reading of a body that is not the result ends.
    var bodyDeadline: UInt64 { allowance?.end ?? .max }

    /// Records that the transfer continues after a pause or a rate limit.
    mutating func recordContinuation(now: UInt64) { allowance?.beginAgain(now: now) }

    /// Receives body bytes.
    ///
    /// - Returns: the number of decoded bytes that they produced; nil if no bytes were accepted, because the sink is
    ///   full or a block is deciding.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, mustTake: Bool) throws(NetworkingError) -> Int? {
        switch disposition {
        case .undecided, .collect: return 0
        case .awaitingDecision: return nil
        case .failed(let error): throw error
        case .discard:
            allowance?.receive(bytes.count, now: MonotonicClock.roughly())
            guard allowance?.isUsedUp != true else {
                throw NetworkingError(.cancelled, "the rest of a discarded body was not read")
            }
            return 0
        case .body(let receiver): return try Self.receive(bytes, receiver, mustTake)
        case .errorBody(let receiver):
            allowance?.receive(bytes.count, now: MonotonicClock.roughly())
            return try Self.receive(bytes, receiver, mustTake)
        case .undecidedRetry(let receiver, _):
            allowance?.receive(bytes.count, now: MonotonicClock.roughly())
            return try Self.receive(bytes, receiver, mustTake).map { _ in 0 }  // not progress of the result
        }
    }

    /// Makes the body of the result a copy of a file.
    ///
    /// - Returns: whether it is; otherwise the body has to be received in pieces.
    func copy(_ file: CacheBodyFile) throws(NetworkingError) -> Bool {
        switch disposition {
        case .failed(let error): throw error
        case .body(let receiver): return receiver.copy(file)
        case .undecided, .awaitingDecision, .errorBody, .undecidedRetry, .discard, .collect: return false
        }
    }

    private static func receive(
        _ bytes: UnsafeRawBufferPointer, _ receiver: BodyReceiver, _ mustTake: Bool
    ) throws(NetworkingError) -> Int? {
        guard receiver.sink.requestCapacity() || mustTake else { return nil }
        let before = receiver.sink.byteCount
        try receiver.receive(bytes)
        return Int(receiver.sink.byteCount - before)
    }
}

@available(*, unavailable)
extension IncomingResponse: Sendable {}

extension NetworkingError {
    /// Returns the error that the check throws; nil if the check succeeds.
    static func of(_ check: () throws(NetworkingError) -> Void) -> NetworkingError? {
        do throws(NetworkingError) {
            try check()
            return nil
        } catch {
            return error
        }
    }
}
