// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Processes

/// A file of any length with known contents: each mebibyte is its number followed by random bytes from a fixed seed.
struct PatternFile {
    let mebibyteCount: Int
    private let noise: Data
    private static let blockSize = 1 << 20

    init(mebibyteCount: Int) {
        self.mebibyteCount = mebibyteCount
        var words = SplitMix64(state: 0x626C_7565)
        noise = (0..<Self.blockSize / 8).reduce(into: Data(capacity: Self.blockSize)) { data, _ in
            withUnsafeBytes(of: words.next().littleEndian) { data.append(contentsOf: $0) }
        }
    }

    /// The length of the file, in bytes.
    var byteCount: Int64 { Int64(mebibyteCount) * Int64(Self.blockSize) }

    /// Writes the file.
    func write(to file: URL) throws {
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw BenchmarkError("\(file.path) cannot be made")
        }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        for index in 0..<mebibyteCount {
            try Interruption.check()
            try handle.write(contentsOf: block(index))
        }
    }

    /// Throws an error unless a file has the same bytes.
    func check(_ file: URL) throws {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        for index in 0..<mebibyteCount {
            try Interruption.check()
            guard try handle.read(upToCount: Self.blockSize) == block(index) else {
                throw BenchmarkError("mebibyte \(index) of the downloaded file is not what the server has")
            }
        }
        guard try handle.read(upToCount: 1)?.isEmpty ?? true else {
            throw BenchmarkError("the downloaded file is longer than what the server has")
        }
    }

    private func block(_ index: Int) -> Data {
        withUnsafeBytes(of: UInt64(index).littleEndian) { Data($0) } + noise.dropFirst(8)
    }
}

/// A generator of random numbers with a known sequence (SplitMix64, Steele, Lea and Flood 2014).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
