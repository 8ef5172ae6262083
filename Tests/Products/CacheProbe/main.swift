// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// Stores responses in the folder that its argument names, until it is killed.

import Bluebonnet
import BluebonnetCache
import BluebonnetHTTP
import Foundation

guard CommandLine.arguments.count == 2 else { exit(2) }
let cache = try FolderResponseCache(
    at: URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true), byteCapacity: 2_000_000)
print("ready")
fflush(nil)
var number = Int.random(in: 0..<1_000_000)
while true {
    number += 1
    guard let url = URL(string: "http://probe.test/\(number % 40)"),
        let stored = ProbeResponse(url, seed: number, to: CacheKey(url))
    else { exit(3) }
    let key = CacheKeyPair(partition: "", key: CacheKey(url))
    let replaced = number % 3 == 0 ? cache.entries(for: key).map(\.id) : []
    cache.apply([.store(stored.entry, body: .data(stored.body), replacing: replaced)])
    for entry in cache.entries(for: key) where number % 5 == 0 { _ = cache.body(of: entry) }
    if number % 50 == 0 { cache.apply([.removeURL(url.absoluteString)]) }
}
