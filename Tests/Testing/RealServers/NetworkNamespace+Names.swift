// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc

extension NetworkNamespace {
    /// Moves the calling thread into the namespace for good, with its own name server. Threads that this thread
    /// starts are in the namespace, too. Name look-ups in these threads ask the name server.
    ///
    /// - Parameter nameServer: the name server's address. It is asked once, with a timeout of a second.
    public func enter(nameServer: String) throws {
        let folder = try TemporaryFolder()
        let text = "nameserver \(nameServer)\noptions timeout:1 attempts:1\n"
        let path = try folder.write("resolv.conf", text)
        // A view of the file system for this thread alone. No other thread sees it.
        guard Self.unshare() == 0, mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0,
            mount(path, "/etc/resolv.conf", nil, UInt(MS_BIND), nil) == 0
        else { throw TestServerError("no view of files of its own: \(String(cString: strerror(errno)))") }
        try stay()
    }

    // Glibc's module does not export `unshare`.
    private static func unshare() -> Int32 {
        typealias Function = @convention(c) (Int32) -> Int32
        guard let symbol = dlsym(nil, "unshare") else { return -1 }
        let newMounts: Int32 = 0x20000  // CLONE_NEWNS
        return unsafeBitCast(symbol, to: Function.self)(newMounts)
    }
}
