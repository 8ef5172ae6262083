// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation
internal import Glibc

/// Identifies the representation that a partial body belongs to: the requested URL, the URL that answered, and the
/// strong validator and total length of the representation. URLs are stored as digests, because they may contain
/// secrets.
package struct PartialRecord: Codable, Equatable, Sendable {
    let requestURLDigest: String
    /// The digest of the requested URL without its query, which may be a signature. Nil in records of older versions.
    let requestResourceDigest: String?
    let responseURLDigest: String
    /// See `requestResourceDigest`.
    let responseResourceDigest: String?
    package let validator: StrongValidator
    let totalByteCount: Int64?
    /// The file's stamp after its writer finished. Nil while the file is written, and if the writer was killed.
    var stamp: FileStamp?

    private static let byteLimit = 64 * 1024

    package init(requestURL: URL, responseURL: URL, validator: StrongValidator, totalByteCount: Int64?) {
        requestURLDigest = Self.digest(of: requestURL)
        requestResourceDigest = Self.resourceDigest(of: requestURL)
        responseURLDigest = Self.digest(of: responseURL)
        responseResourceDigest = Self.resourceDigest(of: responseURL)
        self.validator = validator
        self.totalByteCount = totalByteCount
    }

    /// A copy of the record without a stamp, for use while the file is written.
    var unstamped: PartialRecord {
        var record = self
        record.stamp = nil
        return record
    }

    /// Whether a request for a URL may continue the body. If only the query differs, it may be a new signature. The
    /// entity tag and the total length then identify the representation.
    func canBeContinued(by url: URL) -> Bool {
        if Self.digest(of: url) == requestURLDigest { return true }
        guard case .entityTag = validator, totalByteCount != nil else { return false }
        return Self.resourceDigest(of: url) == requestResourceDigest
    }

    static func digest(of url: URL) -> String {
        MessageDigest.hexadecimalDigest(of: Data(url.absoluteString.utf8))
    }

    /// Returns the digest of a URL without its query and fragment.
    static func resourceDigest(of url: URL) -> String {
        let end = url.absoluteString.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let text = end.map { url.absoluteString[..<$0] } ?? url.absoluteString[...]
        return MessageDigest.hexadecimalDigest(of: Data(text.utf8))
    }

    /// Whether anything exists at a path, without following a symbolic link. Also true if the path cannot be checked.
    static func isThere(_ path: String, in folder: CInt = AT_FDCWD) -> Bool {
        faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT
    }

    /// Reads a record. Returns nil without a readable record.
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

/// Size and time of a file, to detect whether another process has written to it.
struct FileStamp: Codable, Equatable, Sendable {
    let byteCount: Int64
    /// In nanoseconds since 1970, with the precision of the file system.
    let modified: Int64
}
