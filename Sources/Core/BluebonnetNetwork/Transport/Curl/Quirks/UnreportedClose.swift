// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux

/// Before 8.2, libcurl closes a socket that was never connected without calling CURLOPT_CLOSESOCKETFUNCTION. By the
/// time the socket is used, the descriptor may belong to another library. Later versions report each close.
///
/// The inode that a socket had when libcurl opened it identifies the socket. Network thread only.
struct UnreportedClose: CurlQuirk {
    static let versions = Range.before(8, 2)

    private let isPresent: Bool
    private var inodes: [CInt: UInt64] = [:]

    init(isPresent: Bool = Self.isPresent) { self.isPresent = isPresent }

    mutating func socketWasOpened(_ descriptor: CInt) {
        if isPresent { inodes[descriptor] = Self.inode(of: descriptor) }
    }

    mutating func socketIsClosing(_ descriptor: CInt) {
        if isPresent { inodes[descriptor] = nil }
    }

    /// Returns whether the descriptor still refers to the socket that libcurl opened.
    func isOpen(_ descriptor: CInt) -> Bool {
        guard isPresent else { return true }
        guard let inode = inodes[descriptor] else { return false }
        return inode == Self.inode(of: descriptor)
    }

    private static func inode(of descriptor: CInt) -> UInt64? {
        var file = bluebonnet_file()
        return bluebonnet_look_at(descriptor, &file) == 0 ? file.inode : nil
    }
}
