// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Glibc

/// What a partial body is a part of: the URL that was asked for, the URL that answered, and the strong validator and
/// total length of the representation. URLs are kept as digests: they may hold secrets.
struct PartialRecord: Codable, Equatable, Sendable {
    let requestURLDigest: String
    /// That of the URL without its query, which may be a signature. Nil in records of older versions.
    let requestResourceDigest: String?
    let responseURLDigest: String
    /// See `requestResourceDigest`.
    let responseResourceDigest: String?
    let validator: StrongValidator
    let totalByteCount: Int64?
    /// The file's stamp after its writer ended. Nil while the file is written, and when the writer was killed.
    var stamp: FileStamp?

    private static let byteLimit = 64 * 1024

    init(requestURL: URL, responseURL: URL, validator: StrongValidator, totalByteCount: Int64?) {
        requestURLDigest = Self.digest(of: requestURL)
        requestResourceDigest = Self.resourceDigest(of: requestURL)
        responseURLDigest = Self.digest(of: responseURL)
        responseResourceDigest = Self.resourceDigest(of: responseURL)
        self.validator = validator
        self.totalByteCount = totalByteCount
    }

    /// The record without a stamp, for the time in which the file is written.
    var unstamped: PartialRecord {
        var record = self
        record.stamp = nil
        return record
    }

    /// Whether a request for a URL may continue the body. Where only the query differs, it may be a new signature: the
    /// entity tag and the length then say whether the representation is the same.
    func mayBeContinued(by url: URL) -> Bool {
        if Self.digest(of: url) == requestURLDigest { return true }
        guard case .entityTag = validator, totalByteCount != nil else { return false }
        return Self.resourceDigest(of: url) == requestResourceDigest
    }

    static func digest(of url: URL) -> String {
        MessageDigest.hexadecimalDigest(of: Data(url.absoluteString.utf8))
    }

    /// The digest of a URL without query and fragment.
    static func resourceDigest(of url: URL) -> String {
        let end = url.absoluteString.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let text = end.map { url.absoluteString[..<$0] } ?? url.absoluteString[...]
        return MessageDigest.hexadecimalDigest(of: Data(text.utf8))
    }

    /// Whether anything has a record's name.
    static func isThere(_ path: String, in folder: CInt = AT_FDCWD) -> Bool {
        faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT
    }

    /// Reads a record; nil when there is none that can be believed.
    ///
    /// - Parameter folder: the descriptor of the folder that a relative path starts from.
    static func read(_ path: String, in folder: CInt = AT_FDCWD) -> PartialRecord? {
        let descriptor = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? file.read(upToCount: byteLimit) else { return nil }
        return try? JSONDecoder().decode(PartialRecord.self, from: data)
    }

    func encoded() throws -> Data {
        try JSONEncoder().encode(self)
    }
}

/// Detects whether another process has written to a file.
struct FileStamp: Codable, Equatable, Sendable {
    let byteCount: Int64
    /// In nanoseconds since 1970, as fine as the file system has it.
    let modified: Int64
}
