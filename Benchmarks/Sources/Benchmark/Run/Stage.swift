// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Processes

/// What every benchmark with a server needs: a folder and an nginx for what is in it.
enum Stage {
    /// Runs `body` with both; they go away however that ends, also when a signal comes.
    ///
    /// - Parameter byteCount: how much the folder has to hold.
    static func withServer<Result>(
        byteCount: Int64 = 1 << 20, _ body: (URL, NginxServer) throws -> Result
    ) throws -> Result {
        Interruption.watch()
        return try TemporaryFolder.whileThere(byteCount: byteCount) { folder in
            // What clients put aside while they download is on the same file system as where it goes to.
            setenv("TMPDIR", folder.path, 1)
            return try NginxServer.whileRunning(in: folder) { server in try body(folder, server) }
        }
    }
}
