// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Processes

/// Sets up a benchmark with a server: a folder, and an nginx that serves it.
enum Stage {
    /// Calls `body` with the folder and the server, and removes both when `body` returns or throws, or a signal
    /// arrives.
    ///
    /// - Parameter byteCount: the space that the folder needs, in bytes.
    static func withServer<Result>(
        byteCount: Int64 = 1 << 20, _ body: (URL, NginxServer) throws -> Result
    ) throws -> Result {
        Interruption.watch()
        return try TemporaryFolder.whileThere(byteCount: byteCount) { folder in
            // Clients' temporary files are then on the file system of their downloads.
            setenv("TMPDIR", folder.path, 1)
            return try NginxServer.whileRunning(in: folder) { server in try body(folder, server) }
        }
    }
}
