// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetStreams
internal import Foundation

/// The operation of a line whose response is read while it arrives.
struct StreamedOperation: Sendable {
    private let operation: HTTPRequestOperation
    private let manager: RequestOperationManager
    private let findings: LineFindings?

    init(_ operation: HTTPRequestOperation, _ manager: RequestOperationManager, _ findings: LineFindings?) {
        (self.operation, self.manager, self.findings) = (operation, manager, findings)
    }

    /// Starts the operation, and returns when the head of an accepted response has arrived.
    func response() async throws(NetworkingError) -> StreamResponse { try await manager.stream(operation) }

    /// Reads an item; see `LineFindings.read(item:of:)`.
    func values(ofItem item: Data, in response: StreamResponse) throws(NetworkingError) -> JSONValue? {
        try findings?.read(item: item, of: response.head)
    }
}
