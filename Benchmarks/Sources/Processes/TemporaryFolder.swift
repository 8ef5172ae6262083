// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation
import Glibc

/// A folder that is there for the time of one call.
package enum TemporaryFolder {
    /// Makes a folder, runs `body`, and removes the folder with all that is in it, however that ended.
    ///
    /// - Parameter byteCount: how much it has to hold. It is in the shared memory's file system when there is twice as
    ///   much room, so that no disk is measured; else under the system's temporary folder (TMPDIR).
    package static func whileThere<Result>(byteCount: Int64 = 0, _ body: (URL) throws -> Result) throws -> Result {
        let name = "bluebonnet-benchmark-\(UUID().uuidString)"
        let parent = byteCount > 0 && hasRoom(byteCount * 2) ? memory : FileManager.default.temporaryDirectory
        let folder = parent.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    private static let memory = URL(fileURLWithPath: "/dev/shm")

    /// Whether there is room in the shared memory's file system, and memory to back it.
    private static func hasRoom(_ byteCount: Int64) -> Bool {
        var status = statvfs()
        guard statvfs(memory.path, &status) == 0 else { return false }
        let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) } ?? 0
        return Int64(status.f_bavail) * Int64(status.f_frsize) > byteCount && kibibytes * 1024 > byteCount
    }
}
