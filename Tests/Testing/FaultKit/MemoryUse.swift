// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// The memory of this process.
public enum MemoryUse {
    /// The memory in use (VmRSS) in bytes, after free memory was returned to the system.
    public static var residentByteCount: Int {
        trim()
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }

    // Glibc's module does not export `malloc_trim`.
    private static func trim() {
        typealias Function = @convention(c) (Int) -> Int32
        if let symbol = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(symbol, to: Function.self)(0) }
    }
}
