// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// The memory that this process holds.
public enum MemoryUse {
    /// The memory in use now (VmRSS) in bytes, after what is free went back to the system.
    public static var residentByteCount: Int {
        trim()
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }

    // Glibc's module leaves `malloc_trim` out.
    private static func trim() {
        typealias Function = @convention(c) (Int) -> Int32
        if let symbol = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(symbol, to: Function.self)(0) }
    }
}
