// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

/// The credentials of a `.netrc` file, by host. A value: the file is read once, when the value is made.
///
/// An operation uses them to answer a Basic or Digest challenge from its request's own origin, if neither its options
/// nor its request has a credential; see `TransferOptions.netrc`.
public struct Netrc: Sendable, Equatable {
    /// The entry for one machine, or for all other machines.
    struct Entry: Sendable, Equatable {
        /// In lower case; nil for `default`.
        let machine: String?
        var login: String?
        var password: String?
    }

    /// The reason why a file that an archive names could not be read.
    private struct ReadError: Sendable, Equatable {
        let code: NetworkingError.Code
        let message: String
    }

    /// The absolute path of the file; nil for a value that was made from text.
    public let path: String?
    /// Whether the file is accepted if users other than its owner can read it.
    package let mayBeReadByOthers: Bool
    private let entries: [Entry]
    private var readError: ReadError?

    /// Parses the text of a file: the keywords `machine`, `default`, `login`, `password`, `account` and `macdef`,
    /// values that may be quoted, and comments that begin with `#` in the position of a keyword. The case of keywords
    /// is ignored.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` if the text contains anything else. The message contains the
    ///   number of the line but no text of the file, which may be a password.
    public init(text: String) throws(NetworkingError) {
        (path, mayBeReadByOthers) = (nil, false)
        entries = try NetrcText.entries(of: text, in: "the netrc text")
    }

    /// Reads a file, and blocks until it is read.
    ///
    /// - Parameters:
    ///   - path: a relative path is resolved against the current folder.
    ///   - mayBeReadByOthers: whether the file is accepted if users other than its owner can read it, as in a container
    ///     that mounts secrets. A file that others may write is always refused. Default false.
    /// - Throws: `NetworkingError` with `cannotOpenFile` if the file does not exist, if users other than its owner may
    ///   use it (mode 0600 at most), or if it is larger than 1 MiB; otherwise as `init(text:)`.
    public init(contentsOfFile path: String, mayBeReadByOthers: Bool = false) throws(NetworkingError) {
        self.path = Self.absolute(path)
        self.mayBeReadByOthers = mayBeReadByOthers
        let text = try PrivateFile.text(ofFile: path, mayBeReadByOthers: mayBeReadByOthers)
        entries = try NetrcText.entries(of: text, in: path)
    }

    /// Reads the file that an archive names. An unreadable file makes the operation fail, not the archive.
    package init(archivedFile path: String, mayBeReadByOthers: Bool) {
        do throws(NetworkingError) {
            self = try Netrc(contentsOfFile: path, mayBeReadByOthers: mayBeReadByOthers)
        } catch {
            (self.path, self.mayBeReadByOthers, entries) = (path, mayBeReadByOthers, [])
            readError = ReadError(code: error.code, message: error.message)
        }
    }

    /// The error of an unreadable file, which prevents requests with these credentials; otherwise nil.
    package var error: NetworkingError? { readError.map { NetworkingError($0.code, $0.message) } }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// The user's file: the file that the environment variable `NETRC` names, otherwise `.netrc` in the home folder.
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

    /// Returns the credential for a host, from the first entry with a login or a password. If the machine has entries,
    /// only these are used, otherwise the entries for `default`. Nil if no entry has a login or a password. A missing
    /// login is empty, as for servers that require only a token.
    public func credential(forHost host: String) -> URLCredential? {
        let host = host.lowercased()
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        let own = entries.filter { $0.machine == host || $0.machine == bare }
        let found = own.isEmpty ? entries.filter { $0.machine == nil } : own
        guard let entry = found.first(where: { $0.login != nil || $0.password != nil }) else { return nil }
        return URLCredential(user: entry.login ?? "", password: entry.password ?? "", persistence: .none)
    }
}

/// Descriptions show only the file: neither names nor passwords.
extension Netrc: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "credentials in \(path ?? "a netrc text")" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
