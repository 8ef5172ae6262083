// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// What the network thread has made of responses and others are done with, on its way back, to be let go of where it
/// was made.
///
/// The C library has memory for each thread, behind a lock that whoever frees a block of it takes too. With many small
/// responses the network thread and the one that lets their operations go would stand in each other's way at every
/// other response, and wake each other up by system calls.
///
/// Only memory of our own goes this way, nothing that a user could see the end of. What came after the network thread's
/// last round stays until its next one.
final class DeferredFree: Sendable {
    /// One response: its header section, and its body if it was kept in memory.
    struct Item: Sendable {
        let head: ResponseHead
        let body: Data
    }

    static let shared = DeferredFree()

    /// So much waits at most: a megabyte, since larger responses do not go this way.
    static let countLimit = 256
    static let byteCountLimit = 4096

    private let items = Mutex<[Item]>([])

    /// Takes an operation's response, if there is one and room for it. Any thread.
    ///
    /// A cache's is its owner's, and a body that was cut short may hold room for all that was announced.
    func add(_ transfer: Box<TransferResult>) {
        let result = transfer.value
        guard let head = result.head, result.error == nil, result.bodyError == nil, !result.summary.isFromCache else {
            return
        }
        var body = Data()
        if case .memory(let data) = result.content { body = data }
        guard head.fieldByteCount + body.count <= Self.byteCountLimit else { return }
        items.withLock { items in
            guard items.count < Self.countLimit else { return }
            items.append(Item(head: head, body: body))
        }
    }

    /// Gives what has come, for an empty array with room for more. Network thread only.
    func takeAll(into taken: inout [Item]) {
        items.withLock { swap(&$0, &taken) }
    }
}
