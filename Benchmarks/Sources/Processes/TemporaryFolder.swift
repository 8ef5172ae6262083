// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation
import Glibc

/// A folder that exists for the duration of one call.
package enum TemporaryFolder {
    /// Makes a folder, calls `body`, and removes the folder with its contents when `body` returns or throws.
    ///
    /// - Parameter byteCount: the space that the folder needs, in bytes. The folder is in the shared memory's file
    ///   system if twice the space is available there, so that no disk is measured; else in the system's temporary
    ///   folder (TMPDIR). Default 0: the temporary folder.
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

    /// Returns whether the shared memory's file system has the space, and there is memory to back it.
    private static func hasRoom(_ byteCount: Int64) -> Bool {
        var status = statvfs()
        guard statvfs(memory.path, &status) == 0 else { return false }
        let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) } ?? 0
        return Int64(status.f_bavail) * Int64(status.f_frsize) > byteCount && kibibytes * 1024 > byteCount
    }
}
