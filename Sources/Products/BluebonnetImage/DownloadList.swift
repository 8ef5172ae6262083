// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Which downloads run, which wait, and who waits for which: a value that knows neither operations nor threads.
struct DownloadList<Handler: Sendable>: Sendable {
    /// Two requests with equal keys are one download. Headers count: they may say on whose behalf a request is.
    struct Key: Hashable, Sendable {
        let url: String
        /// The values as bytes: Swift takes some texts with different bytes for equal.
        let headers: [String: [UInt8]]
    }

    /// One download, for everybody who asked for it.
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

    /// Adds someone who wants a download; gives the number of a new one, nil when there is one already.
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

    /// The downloads that may start now; they count as running from here on.
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

    /// Takes one who waits out of a download; with the last one the download goes too, and its number is given so that
    /// it can be stopped. A request that comes later begins a new one.
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

    /// Ends a running download; gives those who wait for it, none when they all left.
    mutating func finish(_ number: Int) -> [Handler] {
        guard let download = downloads.removeValue(forKey: number) else { return [] }
        activeCount -= 1
        if numbers[download.key] == number { numbers[download.key] = nil }
        return download.handlers.map(\.handler)
    }
}
