// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// A folder under the system's temporary folder (TMPDIR) that is there for the time of one call.
enum TemporaryFolder {
    /// Makes a folder, runs `body`, and removes the folder with all that is in it, however that ended.
    static func whileThere<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let name = "bluebonnet-benchmark-\(UUID().uuidString)"
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}
