// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Glibc

/// What a partial body is a part of: the URL that was asked for, the URL that answered, and the strong validator (RFC
/// 9110, 8.8.1) and total length of the representation. URLs are kept as digests: they may hold secrets.
struct PartialRecord: Codable, Equatable, Sendable {
    let requestURLDigest: String
    let responseURLDigest: String
    let etag: String
    let totalByteCount: Int64?

    private static let byteLimit = 64 * 1024

    init(requestURL: URL, responseURL: URL, etag: String, totalByteCount: Int64?) {
        requestURLDigest = Self.digest(of: requestURL)
        responseURLDigest = Self.digest(of: responseURL)
        self.etag = etag
        self.totalByteCount = totalByteCount
    }

    static func digest(of url: URL) -> String {
        MessageDigest.hexadecimalDigest(of: Data(url.absoluteString.utf8))
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
