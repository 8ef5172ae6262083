// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// Responses that other threads no longer need and that the network thread, which allocated them, will free.
///
/// The C library allocates from an arena for each thread, and freeing a block takes the lock of its arena. With many
/// small responses the network thread and the thread that releases the operations would contend for that lock at every
/// other response, with system calls to wake each other.
///
/// Takes only the library's own memory: no value with an observable `deinit`. Responses added after the network
/// thread's last round stay until its next one.
final class DeferredFree: Sendable {
    /// One response: its header section, and its body if it was kept in memory.
    struct Item: Sendable {
        let head: ResponseHead
        let body: Data
    }

    static let shared = DeferredFree()

    /// The limits of what waits: at most 256 responses of up to 4 KiB, one MiB in all.
    static let countLimit = 256
    static let byteCountLimit = 4096

    private let items = Mutex<[Item]>([])

    /// Takes an operation's response, if there is one and the limits allow it. Any thread.
    ///
    /// Not a response of a cache, which owns it, nor a truncated body, whose buffer may have the announced size.
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

    /// Exchanges all responses for an empty array with capacity for more. Network thread only.
    func takeAll(into taken: inout [Item]) {
        items.withLock { swap(&$0, &taken) }
    }
}
