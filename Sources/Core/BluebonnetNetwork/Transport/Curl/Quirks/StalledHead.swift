// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Over HTTP/2, libcurl 7.88 delivers a response head in pieces of its buffer size. Between two pieces it waits for
/// the connection to become readable, although it has the rest already: a response whose head is longer than two
/// buffers stalls until the idle limit. 8.14 delivers the whole head at once; versions between them have not been
/// examined. Where the quirk is present, the library makes libcurl continue. Several such heads on one connection at
/// the same time may still stall.
enum StalledHead: CurlQuirk {
    static let versions = Range.before(8, 14)
    static let isNeeded = isPresent
    /// The number of calls: enough for the longest line that libcurl accepts (100 KiB), with a margin.
    static let callCount = 16

    /// Transfers with an incomplete response head, and how many more times libcurl is called for each.
    struct Transfers<Transfer: AnyObject> {
        private var entries: [(transfer: Transfer, callCount: Int)] = []

        mutating func add(_ transfer: Transfer, callCount: Int = StalledHead.callCount) {
            guard callCount > 0 else { return }
            if let last = entries.indices.last, entries[last].transfer === transfer {
                entries[last].callCount = callCount
            } else {
                entries.append((transfer, callCount))
            }
        }

        mutating func removeAll() -> [(transfer: Transfer, callCount: Int)] {
            guard !entries.isEmpty else { return [] }
            defer { entries = [] }
            return entries
        }
    }
}
