// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A file with a `BearerToken`, which processes share: JSON, mode 0600. A value; the file is read and written by its
/// functions, which block. A symbolic link stands for the file that it leads to.
public struct TokenFile: Sendable, Hashable {
    /// The path of the file. A file of that name with `.lock` after it is locked during a refresh, and stays.
    public let path: String

    /// Names a file, which need not exist. Its folder has to.
    public init(_ path: String) { self.path = path }

    /// Reads the token; nil when there is no file.
    ///
    /// - Throws: `NetworkingError` with `cannotOpenFile` when the file cannot be read, when anybody but its owner may
    ///   use it (mode 0600 at most), when it is larger than 1 MiB, and when it holds something else.
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
        } catch {  // its text may be a part of a token
            throw NetworkingError(.cannotOpenFile, "cannot read \(path): it holds no token that TokenFile wrote")
        }
    }

    /// Writes a token: the file is replaced at once, with mode 0600, and is on the disk then.
    ///
    /// - Throws: `NetworkingError` with `cannotWriteFile`.
    public func write(_ token: BearerToken) throws(NetworkingError) { try write(token, isLocked: false) }

    /// Removes the file, if there is one.
    ///
    /// - Throws: `NetworkingError` with `cannotWriteFile`.
    public func remove() throws(NetworkingError) { try PrivateFile.remove(path) }

    /// - Parameter isLocked: whether the caller has the lock of the file: then what an interrupted write has left
    ///   behind is replaced as well.
    func write(_ token: BearerToken, isLocked: Bool) throws(NetworkingError) {
        let data: Data
        do {
            data = try Self.encoder.encode(token)
        } catch {
            throw NetworkingError(.cannotWriteFile, "cannot write \(path): the token's date is no date")
        }
        try PrivateFile.replace(path, with: data + Data("\n".utf8), isAlone: isLocked)
    }

    /// The path of the file that is locked.
    var lockPath: String { PrivateFile.resolved(path) + ".lock" }

    /// Waits for the lock of the file; nil when others hold it for longer than the wait, which is less than a refresh
    /// may take.
    ///
    /// - Parameter tries: how often the lock is tried, 10 times a second.
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
