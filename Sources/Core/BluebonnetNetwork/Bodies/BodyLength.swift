// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

/// Counts the bytes of a streamed body, and checks them against a declared length.
final class BodyLength: Sendable {
    private let declared: Int64?
    private let count = Atomic<Int64>(0)

    init(_ declared: Int64?) { self.declared = declared }

    /// Counts bytes.
    ///
    /// - Throws: `invalidRequest` for more bytes than declared.
    func add(_ byteCount: Int) throws(NetworkingError) {
        let sum = count.add(Int64(byteCount), ordering: .relaxed).newValue
        guard let declared, sum > declared else { return }
        throw NetworkingError(
            .invalidRequest, "the body stream has more than the \(declared) bytes of Content-Length")
    }

    /// - Throws: `invalidRequest` for fewer bytes than declared.
    func checkEnd() throws(NetworkingError) {
        let sum = count.load(ordering: .relaxed)
        guard let declared, sum < declared else { return }
        throw NetworkingError(
            .invalidRequest, "the body stream ended after \(sum) of the \(declared) bytes of Content-Length")
    }
}
