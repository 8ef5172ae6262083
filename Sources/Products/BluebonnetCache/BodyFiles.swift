// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation
internal import Glibc

/// The bodies of a cache in a folder: files that are named by their SHA-256 and never change. Any thread; calls may
/// block.
struct BodyFiles: Sendable {
    /// A body that has its name.
    struct Stored: Sendable {
        let digest: String
        let byteCount: Int64
    }

    private let folder: String
    private let incoming: String

    /// How long a file without a response is kept, in seconds: another process may be about to name it in the index.
    private static let patience: TimeInterval = 600
    private static let pieceByteCount = 1 << 20

    init(in folder: CacheFolder) { (self.folder, incoming) = (folder.bodies, folder.incoming) }

    private func path(of digest: String) -> String { "\(folder)/\(digest)" }

    /// Returns a body.
    ///
    /// - Parameter checks: whether the digest is compared: after a power failure a file may lack contents.
    func read(_ place: FolderIndex.Place, checks: Bool) -> Data? {
        let descriptor = open(path(of: place.digest), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let data = Self.contents(of: descriptor, place.byteCount) else { return nil }
        return checks && MessageDigest.hexadecimalDigest(of: data) != place.digest ? nil : data
    }

    /// Opens a body.
    ///
    /// - Parameter checks: whether the digest is compared.
    func file(_ place: FolderIndex.Place, checks: Bool) -> CacheBodyFile? {
        let descriptor = open(path(of: place.digest), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = CacheBodyFile(descriptor: descriptor, byteCount: place.byteCount, sha256: place.digest)
        guard lseek(descriptor, 0, SEEK_END) == off_t(place.byteCount) else { return nil }
        return checks && (try? Self.digest(of: file)) != place.digest ? nil : file
    }

    /// Returns the digest of a file, and passes its contents on in pieces; nil if the file cannot be read.
    private static func digest(
        of file: CacheBodyFile, _ pass: (Data) throws(POSIXError) -> Void = { _ in }
    ) throws(POSIXError) -> String? {
        let digest = MessageDigest(.sha256)
        var offset: Int64 = 0
        while offset < file.byteCount {
            let end = min(offset + Int64(pieceByteCount), file.byteCount)
            guard let piece = try? file.contents(of: offset..<end) else { return nil }
            piece.withUnsafeBytes { digest.update($0) }
            try pass(piece)
            offset = end
        }
        return digest.finish()
    }

    private static func contents(of descriptor: CInt, _ byteCount: Int64) -> Data? {
        guard lseek(descriptor, 0, SEEK_END) == off_t(byteCount) else { return nil }
        var data = Data(count: Int(byteCount))
        let count = data.withUnsafeMutableBytes { bytes in
            var offset = 0
            while offset < bytes.count, let base = bytes.baseAddress {
                let count = pread(descriptor, base + offset, bytes.count - offset, off_t(offset))
                guard count > 0 else { break }
                offset += count
            }
            return offset
        }
        return count == data.count ? data : nil
    }

    /// Stores a body.
    ///
    /// - Throws: why the file cannot be written.
    func store(_ data: Data) throws(POSIXError) -> Stored {
        let stored = Stored(digest: MessageDigest.hexadecimalDigest(of: data), byteCount: Int64(data.count))
        guard !isThere(stored) else { return stored }
        _ = try write(stored.digest) { target throws(POSIXError) in
            try Self.append(data, to: target)
            return true
        }
        return stored
    }

    /// Stores a copy of a file, which shares its blocks with the file if the file system can.
    ///
    /// - Parameter digest: the digest of the body. A shared copy with other contents is recognised when it is read.
    /// - Returns: nil if the file has more than `limit` bytes or other contents, or cannot be read.
    /// - Throws: why the copy cannot be written.
    func store(copyOf url: URL, digest: String, limit: Int) throws(POSIXError) -> Stored? {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let stored = Stored(digest: digest, byteCount: Int64(lseek(descriptor, 0, SEEK_END)))
        let source = CacheBodyFile(descriptor: descriptor, byteCount: stored.byteCount, sha256: digest)
        guard (0...Int64(limit)).contains(stored.byteCount) else { return nil }
        guard !isThere(stored) else { return stored }
        let isStored = try write(digest) { target throws(POSIXError) in
            if withExtendedLifetime(source, { FileCopy.clone(descriptor, to: target) }) { return true }
            return try Self.digest(of: source) { piece throws(POSIXError) in try Self.append(piece, to: target) }
                == digest
        }
        return isStored ? stored : nil
    }

    /// Whether the body has its name already. The file is then as new, so that no process removes it.
    private func isThere(_ stored: Stored) -> Bool {
        let path = path(of: stored.digest)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return lseek(descriptor, 0, SEEK_END) == off_t(stored.byteCount) && utimes(path, nil) == 0
    }

    /// Writes a file under a temporary name, and gives it its name when it is complete.
    ///
    /// - Parameter fill: writes the contents to a descriptor. Returns whether they have the digest.
    /// - Returns: the same. A file with other contents is removed.
    private func write(
        _ digest: String, _ fill: (_ target: CInt) throws(POSIXError) -> Bool
    ) throws(POSIXError) -> Bool {
        let temporary = "\(incoming)/\(UUID().uuidString)"
        let target = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw POSIXError.last }
        var hasName = false
        defer { if !hasName { unlink(temporary) } }
        let isRight: Bool
        do throws(POSIXError) {
            isRight = try fill(target)
        } catch {
            close(target)
            throw error
        }
        // Some file systems report a full disk only now.
        guard close(target) == 0 else { throw POSIXError.last }
        guard isRight else { return false }
        guard rename(temporary, path(of: digest)) == 0 else { throw POSIXError.last }
        hasName = true
        return true
    }

    private static func append(_ data: Data, to target: CInt) throws(POSIXError) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(target, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw POSIXError.last }
            rest = rest.dropFirst(count)
        }
    }

    func remove(_ digest: String) { unlink(path(of: digest)) }

    /// Removes the temporary files of processes that have died. Returns the digests of bodies that are not new. Files
    /// with other names stay.
    func oldFiles(now: Date = Date()) -> [String] {
        for name in Self.oldNames(in: incoming, now) where UUID(uuidString: name) != nil {
            unlink("\(incoming)/\(name)")
        }
        return Self.oldNames(in: folder, now).filter { name in
            name.utf8.count == 64 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
    }

    private static func oldNames(in folder: String, _ now: Date) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            return (attributes?[.modificationDate] as? Date).map { now.timeIntervalSince($0) > patience } ?? false
        }
    }
}
