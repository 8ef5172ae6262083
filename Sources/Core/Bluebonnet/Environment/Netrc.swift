// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

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
    /// that may be quoted, and comments that begin with `#` where a word may stand. Keywords may be written in any
    /// case.
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
        let text = try PrivateFile.text(ofFile: path, mayBeReadByOthers: mayBeReadByOthers)
        entries = try NetrcText.entries(of: text, in: path)
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

/// Only the file is shown: neither names nor passwords.
extension Netrc: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "credentials in \(path ?? "a netrc text")" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
