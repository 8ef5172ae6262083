// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// Makes events with instants in seconds, as the library reports them.
struct EventMaker {
    var operation = 1
    var origin = "https://api.example.com:443"
    /// In nanoseconds: no event happens at 0.
    static let start: UInt64 = 50_000_000_000

    func event(
        _ kind: RequestEvent.Kind, at seconds: Double, attempt: Int = 1, hop: Int = 1
    ) -> RequestEvent {
        RequestEvent(
            operation: operation, attempt: attempt, hop: hop, origin: origin, instant: Self.instant(seconds), kind)
    }

    /// An event without an operation.
    func connectionEvent(_ kind: RequestEvent.Kind, at seconds: Double) -> RequestEvent {
        RequestEvent(origin: origin, instant: Self.instant(seconds), kind)
    }

    static func instant(_ seconds: Double) -> UInt64 { start + UInt64(seconds * 1e9) }

    func connection(_ number: Int, openedAt seconds: Double = 0) -> RequestEvent.ConnectionInformation {
        .init(number: number, peerAddress: "192.0.2.1", peerPort: 443, openedAt: Self.instant(seconds))
    }

    /// One sending, from 1 s to 3 s, and the end of its operation at 4 s.
    func exchange(
        method: String = "GET", status: Int = 200, bodyByteCount: Int64? = 0, sent: Int64 = 0, received: Int64 = 5,
        errorCode: NetworkingError.Code? = nil
    ) -> [RequestEvent] {
        [
            event(.queued(nil), at: 0, hop: 0), event(.admitted, at: 0.5, hop: 0),
            event(
                .hopBegan(.init(method: method, url: origin + "/v1/me?token=x", bodyByteCount: bodyByteCount)), at: 1),
            event(.responseHead(.init(statusCode: status, version: "2")), at: 2),
            event(
                .hopEnded(
                    .init(.complete, statusCode: status, receivedByteCount: received, sentByteCount: sent)), at: 3),
            event(.finished(.init(errorCode: errorCode, statusCode: status)), at: 4),
        ]
    }
}
