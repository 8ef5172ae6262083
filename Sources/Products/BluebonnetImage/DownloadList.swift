// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Decides which downloads run and which wait, and records the handlers of each. A value type, independent of
/// operations and threads.
struct DownloadList<Handler: Sendable>: Sendable {
    /// Requests with equal keys share one download. Header fields are a part of the key, because they may identify the
    /// user.
    struct Key: Hashable, Sendable {
        let url: String
        /// The values as bytes, because Swift considers some texts with different bytes equal.
        let headers: [String: [UInt8]]
    }

    /// One download, for all requests with its key.
    struct Download: Sendable {
        let number: Int
        let key: Key
        var handlers: [(receipt: UUID, handler: Handler)]
        var isActive = false
    }

    let limit: Int
    let isLastInFirstOut: Bool
    private var downloads: [Int: Download] = [:]
    private var numbers: [Key: Int] = [:]
    private var waiting: [Int] = []
    private var activeCount = 0
    private var nextNumber = 0

    init(limit: Int, isLastInFirstOut: Bool) {
        self.limit = limit
        self.isLastInFirstOut = isLastInFirstOut
    }

    /// Adds a handler to the download with a key. Returns the number of a new download; nil if the download already
    /// exists.
    mutating func add(_ handler: Handler, receipt: UUID, key: Key) -> Int? {
        if let number = numbers[key] {
            downloads[number]?.handlers.append((receipt, handler))
            return nil
        }
        nextNumber += 1
        downloads[nextNumber] = Download(number: nextNumber, key: key, handlers: [(receipt, handler)])
        numbers[key] = nextNumber
        waiting.append(nextNumber)
        return nextNumber
    }

    /// Returns the downloads that may start now, and marks them as running.
    mutating func startable() -> [Int] {
        var started: [Int] = []
        while activeCount < limit, !waiting.isEmpty {
            let number = isLastInFirstOut ? waiting.removeLast() : waiting.removeFirst()
            downloads[number]?.isActive = true
            activeCount += 1
            started.append(number)
        }
        return started
    }

    /// Removes a handler from its download. Removing the last handler also removes the download, and returns its number
    /// so that the caller can stop it. A later request starts a new download.
    mutating func remove(_ receipt: UUID, key: Key) -> (handler: Handler, abandoned: Int?)? {
        guard let number = numbers[key], var download = downloads[number],
            let index = download.handlers.firstIndex(where: { $0.receipt == receipt })
        else { return nil }
        let handler = download.handlers.remove(at: index).handler
        downloads[number] = download
        guard download.handlers.isEmpty else { return (handler, nil) }
        numbers[key] = nil
        if !download.isActive {
            waiting.removeAll { $0 == number }
            downloads[number] = nil
        }
        return (handler, number)
    }

    /// Ends a running download. Returns its handlers; empty if all were removed.
    mutating func finish(_ number: Int) -> [Handler] {
        guard let download = downloads.removeValue(forKey: number) else { return [] }
        activeCount -= 1
        if numbers[download.key] == number { numbers[download.key] = nil }
        return download.handlers.map(\.handler)
    }
}
