// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation
public import FoundationNetworking
internal import Glibc

/// The credentials of a `.netrc` file, by host. A value: the file is read once, when the value is made.
///
/// An operation answers a Basic or Digest challenge of its request's own origin with them, where neither its options
/// nor its request has a credential; see `TransferOptions.netrc`.
public struct Netrc: Sendable, Equatable {
    /// What the file says of one machine, or of all others.
    struct Entry: Sendable, Equatable {
        /// In lower case; nil for `default`.
        let machine: String?
        var login: String?
        var password: String?
    }

    private static let byteLimit = 1 << 20

    /// Why a file that an archive names could not be read.
    private struct Fault: Sendable, Equatable {
        let code: NetworkingError.Code
        let message: String
    }

    /// The absolute path of the file; nil for a value that was made from a text.
    public let path: String?
    /// Whether the file may be one that others than its owner may read.
    let mayBeReadByOthers: Bool
    private let entries: [Entry]
    private var unread: Fault?

    /// Reads the text of a file: the words `machine`, `default`, `login`, `password`, `account` and `macdef`, values
    /// that may be quoted, and comments that begin with `#` where a word may stand. Keywords may be written in any case.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` when the text is anything else. The message has the number of
    ///   the line, and none of its text, which may be a password.
    public init(text: String) throws(NetworkingError) {
        (path, mayBeReadByOthers) = (nil, false)
        entries = try NetrcText.entries(of: text, in: "the netrc text")
    }

    /// Reads a file; blocks meanwhile.
    ///
    /// - Parameters:
    ///   - path: a relative one starts at the current folder.
    ///   - mayBeReadByOthers: whether others than the owner may read the file, as where a container mounts secrets. One
    ///     that others may write is refused in any case. Default false.
    /// - Throws: `NetworkingError` with `cannotOpenFile` when there is no such file, when others than its owner may use
    ///   it (mode 0600 at most), or when it is larger than 1 MiB; else as `init(text:)`.
    public init(contentsOfFile path: String, mayBeReadByOthers: Bool = false) throws(NetworkingError) {
        self.path = Self.absolute(path)
        self.mayBeReadByOthers = mayBeReadByOthers
        let forbidden: UInt32 = mayBeReadByOthers ? 0o022 : 0o077
        entries = try NetrcText.entries(of: try Self.text(ofFile: path, forbidden: forbidden), in: path)
    }

    /// The file that an archive names. One that cannot be read makes the operation fail, not the archive.
    init(archivedFile path: String, mayBeReadByOthers: Bool) {
        do throws(NetworkingError) {
            self = try Netrc(contentsOfFile: path, mayBeReadByOthers: mayBeReadByOthers)
        } catch {
            (self.path, self.mayBeReadByOthers, entries) = (path, mayBeReadByOthers, [])
            unread = Fault(code: error.code, message: error.message)
        }
    }

    /// Why no request may be sent with these credentials; nil when requests may.
    var fault: NetworkingError? { unread.map { NetworkingError($0.code, $0.message) } }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// The file of the user: the one that the environment variable `NETRC` names, else `.netrc` in the home folder.
    /// Reading it blocks.
    ///
    /// - Throws: as `init(contentsOfFile:)`.
    public static var ofUser: Netrc {
        get throws(NetworkingError) {
            let environment = ProcessInfo.processInfo.environment
            return try Netrc(contentsOfFile: path(environment: environment, home: NSHomeDirectory()))
        }
    }

    static func path(environment: [String: String], home: String) -> String {
        if let path = environment["NETRC"], !path.isEmpty { return path }
        return home + "/.netrc"
    }

    /// The credential for a host: that of the first entry for the machine that has a login or a password, else that of
    /// `default`; nil when there is none. A login that is missing is empty, as for servers that want a token only.
    public func credential(forHost host: String) -> URLCredential? {
        let host = host.lowercased()
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        let own = entries.filter { $0.machine == host || $0.machine == bare }
        let found = own.isEmpty ? entries.filter { $0.machine == nil } : own
        guard let entry = found.first(where: { $0.login != nil || $0.password != nil }) else { return nil }
        return URLCredential(user: entry.login ?? "", password: entry.password ?? "", persistence: .none)
    }
}

// MARK: - The file

extension Netrc {
    private static func text(ofFile path: String, forbidden: UInt32) throws(NetworkingError) -> String {
        func failure(_ text: String, _ underlying: (any Error)? = nil) -> NetworkingError {
            NetworkingError(.cannotOpenFile, "cannot read \(path): \(text)", underlying: underlying)
        }
        guard !path.isEmpty, !path.hasByte(0) else { throw failure("it is not the path of a file") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("does it exist, and may it be read?", POSIXError.last) }
        defer { close(descriptor) }
        var file = bluebonnet_file()
        guard bluebonnet_look_at(descriptor, &file) == 0, file.is_regular else {
            throw failure("it is not a regular file")
        }
        guard UInt32(file.permissions) & forbidden == 0 else {
            throw failure("others than its owner may use it; run chmod 600 \(path)")
        }
        guard file.byte_count <= byteLimit else { throw failure("it is larger than 1 MiB") }
        var bytes = [UInt8](repeating: 0, count: Int(file.byte_count))
        var count = 0
        while count < bytes.count {
            let added = bytes.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { read(descriptor, $0 + count, buffer.count - count) } ?? 0
            }
            if added < 0 && errno == EINTR { continue }
            guard added >= 0 else { throw failure("reading it failed", POSIXError.last) }
            if added == 0 { break }
            count += added
        }
        guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
            throw failure("it is not UTF-8")
        }
        return text
    }
}

/// Only the file is shown: neither names nor passwords.
extension Netrc: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "credentials in \(path ?? "a netrc text")" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
