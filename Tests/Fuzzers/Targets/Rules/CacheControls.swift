// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation

extension FuzzTarget {
    /// `Cache-Control` and related fields, one value per line. The first line is a `Cache-Control` value.
    static let cacheControls = FuzzTarget("cache-controls") { input in
        let values = input.lines.map { FieldBlock.text($0) }
        let control = CacheControl(values)
        if !values.contains(where: { $0.utf8.contains(0x22) }) {
            try holdSame(
                CacheControl([values.joined(separator: ",")]), control, "directives of several lines are a list")
        }
        try holdSame(
            CacheControl(values + ["no-store, no-cache"]).forbidsStoring, true, "no-store counts beside anything")
        try checkFreshness(input)
    }

    private static func checkFreshness(_ input: FuzzInput) throws {
        var text = Array("HTTP/1.1 200 OK\r\n".utf8)
        let names = ["Cache-Control", "Expires", "Date", "Age", "Vary", "Cache-Control", "Age"]
        for (name, line) in zip(names, input.lines) { text += Array("\(name): ".utf8) + line + [0x0D, 0x0A] }
        guard let head = try parsedHead(text + [0x0D, 0x0A]) else { return }
        let received = Date(timeIntervalSince1970: 1_800_000_000)
        let freshness = CacheFreshness(head, requestedAt: received - 1, receivedAt: received)
        if let lifetime = freshness.lifetime {
            try hold(lifetime >= 0 && lifetime.isFinite, "\(lifetime) is a lifetime")
        }
        let age = freshness.age(at: received)
        try hold(age >= 0 && !age.isNaN, "\(age) is an age")
        try hold(!freshness.isFresh(at: received - 1), "a clock that goes back makes nothing fresh")
        var (wasFresh, times) = (true, [0, 1, 60, 3600, 86_400, 1e7, 1e9])
        times.append(freshness.lifetime ?? 0)
        for seconds in times.sorted() {
            let isFresh = freshness.isFresh(at: received + seconds)
            try hold(wasFresh || !isFresh, "what was stale does not become fresh")
            try hold(!isFresh || freshness.lifetime != nil, "only what has a lifetime is fresh")
            wasFresh = isFresh
        }
    }
}
