// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation

extension FuzzTarget {
    /// `Retry-After` and rate limit fields, one value per line.
    static let retryHints = FuzzTarget("retry-hints") { input in
        let names = [
            "Retry-After", "RateLimit", "RateLimit-Policy", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Date",
            "RateLimit-Remaining", "RateLimit-Reset",
        ]
        var headers = HeaderFields()
        for (name, line) in zip(names, input.lines) where !line.isEmpty {
            headers.add(name: name, value: FieldBlock.text(line))
        }
        for now in [0, 1_800_000_000] as [Double] {
            let now = Date(timeIntervalSince1970: now)
            let hint = RetryHint(in: headers, now: now)
            for hint in [hint, RetryHint(ofAccepted: headers, now: now)].compactMap(\.self) {
                try hold((0...RetryHint.mostSeconds).contains(hint.seconds), "\(hint.seconds) seconds can be waited")
            }
            var aged = headers
            aged["Age"] = "1"
            try hold(RetryHint(in: aged, now: now)?.source != .rateLimit, "a cached response tells no rate")
            let text = headers["Retry-After"] ?? ""
            if FieldSyntax.isNumber(text.utf8), let seconds = UInt32(text), seconds < 1_000_000_000 {
                try holdSame(hint?.seconds, Double(seconds), "Retry-After counts as it stands")
            }
        }
    }
}
