// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A file with a `BearerToken` that processes share: JSON, mode 0600. A value type; its functions read and write the
/// file, and block. For a symbolic link, the file that it leads to is used.
public struct TokenFile: Sendable, Hashable {
    /// The path of the file. During a refresh, the file of this name with `.lock` appended is locked; it is not
    /// removed.
    public let path: String

    /// Names a file, which need not exist. Its folder must exist.
    public init(_ path: String) { self.path = path }

    /// Reads the token. Returns nil if the file does not exist.
    ///
    /// - Throws: `NetworkingError` with `cannotOpenFile` if the file cannot be read, if users other than its owner may
    ///   use it (mode 0600 at most), if it is larger than 1 MiB, or if it does not contain a token.
    public func read() throws(NetworkingError) -> BearerToken? {
        let text: String
        do {
            text = try PrivateFile.text(ofFile: path)
        } catch {
            if (error.underlying as? POSIXError)?.code == .ENOENT { return nil }
            throw error
        }
        do {
            return try Self.decoder.decode(BearerToken.self, from: Data(text.utf8))
        } catch {  // the error may contain a part of a token
            throw NetworkingError(.cannotOpenFile, "cannot read \(path): it contains no token written by TokenFile")
        }
    }

    /// Writes a token. Replaces the file atomically, with mode 0600; the file is on disk when the function returns.
    ///
    /// - Throws: `NetworkingError` with `cannotWriteFile`.
    public func write(_ token: BearerToken) throws(NetworkingError) { try write(token, isLocked: false) }

    /// Removes the file if it exists.
    ///
    /// - Throws: `NetworkingError` with `cannotWriteFile`.
    public func remove() throws(NetworkingError) { try PrivateFile.remove(path) }

    /// - Parameter isLocked: whether the caller has the lock of the file. The remains of an interrupted write are then
    ///   replaced as well.
    func write(_ token: BearerToken, isLocked: Bool) throws(NetworkingError) {
        let data: Data
        do {
            data = try Self.encoder.encode(token)
        } catch {
            throw NetworkingError(.cannotWriteFile, "cannot write \(path): the token's date is invalid")
        }
        try PrivateFile.replace(path, with: data + Data("\n".utf8), isAlone: isLocked)
    }

    /// The path of the lock file.
    var lockPath: String { PrivateFile.resolved(path) + ".lock" }

    /// Waits for the lock of the file. Returns nil if others hold the lock for longer than the wait, which is shorter
    /// than a refresh may take.
    ///
    /// - Parameter tries: the number of attempts to lock, 10 per second.
    func lock(tries: Int) async throws -> FileLock? {
        for _ in 0..<tries {
            if let lock = try FileLock(lockPath) { return lock }
            try await Task.sleep(for: .milliseconds(100))
        }
        return nil
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = [.sortedKeys]
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    }
}
