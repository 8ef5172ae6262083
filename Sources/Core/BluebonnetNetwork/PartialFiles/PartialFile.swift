// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Dispatch
package import Foundation
internal import Glibc

/// The file of a download in progress: next to its destination, or in the folder where it gets its name at the end.
///
/// The bytes are in `DEST.bluebonnet-partial`, next to `DEST`. If that name would be too long, a digest replaces the
/// name of `DEST` in it. If the bytes can be continued, a record in `DEST.bluebonnet-partial.json` identifies the
/// representation they belong to. The destination is not touched before the body is complete. The file is closed when
/// the last reference is released; `keepOrRemove` decides what happens to the partial file and its record.
///
/// Without the partial file of an earlier download, and if the file system supports it, the file has no name at first:
/// creating a name, replacing it and looking for a record are most of the cost of a small file. `giveName` creates the
/// name once the body is known to be large enough. A small file only gets the name of its destination, when it is
/// complete.
///
/// A reservation keeps other downloads of this process from a destination, and a lock keeps other processes from a
/// named file. If several files without a name have the same destination, the file that is completed last remains
/// there, complete.
package final class PartialFile: Sendable {
    /// The destination, from which the partial file's name is made. In a folder, the destination has no other use.
    let destination: String
    /// The destination as the caller named it; nil in a folder, and if the URL is not a plain file URL.
    package let callerURL: URL?
    let folder: OutputFolder?
    /// Nil in a folder.
    private let reservation: PathReservation?
    package let isSynced: Bool
    /// The number of bytes that existed when the file was opened and may be continued.
    package let initialByteCount: Int64
    /// The record of the representation that the existing bytes belong to.
    package let initialRecord: PartialRecord?
    let descriptor: CInt
    /// Whether a record may exist. Stored, because looking for a record has a cost; no other process creates one while
    /// this process has the lock.
    private let recordFlag: Atomic<Bool>
    /// Whether the file has its name, and therefore the lock.
    let isNamed: Atomic<Bool>
    /// Whether the file may contain bytes, written or pending.
    private let bytesFlag: Atomic<Bool>
    let contents: Mutex<Contents>
    /// The file's stamp after the last write of this process, or at opening if existing bytes are continued; otherwise
    /// nil.
    private let writtenStamp: Mutex<FileStamp?>
    /// The serial queue for work on the open file while the body arrives.
    let queue = DispatchQueue(label: "org.bluebonnet.writing.file")

    static let suffix = SuggestedFileName.reservedSuffix
    private static let recordSuffix = ".json"
    private static let nameByteLimit = 255

    /// Returns the path of a destination's partial file. The name is short enough for its record's name to fit a file
    /// system too.
    package static func partialPath(of destination: String) -> String {
        let start = destination.utf8.lastIndex(of: UInt8(ascii: "/")).map { destination.utf8.index(after: $0) }
        let name = destination[(start ?? destination.startIndex)...]
        guard name.utf8.count + suffix.utf8.count + recordSuffix.utf8.count > nameByteLimit else {
            return destination + suffix
        }
        let digest = MessageDigest.hexadecimalDigest(of: Data(name.utf8)).prefix(32)
        return "\(destination[..<name.startIndex]).\(digest)\(suffix)"
    }

    /// The path of the record of a partial file.
    package static func recordPath(of partialPath: String) -> String { partialPath + recordSuffix }

    /// The path for messages: of the partial file, or of the destination while the file has no name.
    var path: String { isNamed.load(ordering: .relaxed) ? shown(name) : destination }
    let name: String
    private var recordName: String { Self.recordPath(of: name) }
    /// The folder that relative names start from.
    var folderDescriptor: CInt { folder?.descriptor ?? AT_FDCWD }

    /// Opens or creates the partial file of a known destination. May block for as long as the file system does.
    ///
    /// - Parameters:
    ///   - callerURL: the destination as the caller named it.
    ///   - existing: what currently has the destination's name.
    ///   - url: the URL that will be requested. A partial body of another resource is not continued.
    ///   - isSynced: whether the file is synced to disk by the time it has been moved into place.
    ///   - isDigested: whether the digest will be needed.
    package convenience init(
        destination: String, callerURL: URL? = nil, existing: ExistingFile? = nil, url: URL?, isSynced: Bool = false,
        isDigested: Bool = false
    ) throws(NetworkingError) {
        let replaced: ExistingFile
        if let existing { replaced = existing } else { replaced = try ExistingFile.checkReplaceable(destination) }
        let name = Self.partialPath(of: destination)
        guard let reservation = PathReservation(name) else { throw OpenedPartialFile.inUse(name) }
        var file = OpenedPartialFile.nameless(for: name)
        if file == nil { file = try OpenedPartialFile.locked(name, in: nil) }
        guard let file else { throw OpenedPartialFile.inUse(name) }
        try self.init(
            file, destination: destination, callerURL: callerURL, reservation: reservation, url: url,
            isSynced: isSynced,
            isDigested: isDigested)
        // The partial file must not be readable by users who cannot read the destination.
        if case .regular(let permissions) = replaced { _ = fchmod(descriptor, permissions | 0o600) }
    }

    /// Opens or creates a partial file in a folder. The response suggests the final name. The partial file's name is
    /// made from the URL, so that a later download of the URL finds the file, even with another signature in its query.
    /// Concurrent downloads of the URL get different names.
    package convenience init(
        folder: OutputFolder, url: URL, isSynced: Bool = false, isDigested: Bool = false
    ) throws(NetworkingError) {
        let (file, destination) = try OpenedPartialFile.unused(of: url, in: folder)
        try self.init(
            file, destination: destination, folder: folder, url: url, isSynced: isSynced, isDigested: isDigested)
    }

    private init(
        _ file: OpenedPartialFile, destination: String, callerURL: URL? = nil, folder: OutputFolder? = nil,
        reservation: PathReservation? = nil,
        url: URL?, isSynced: Bool, isDigested: Bool
    ) throws(NetworkingError) {
        descriptor = file.descriptor
        contents = Mutex(Contents(isDigested: isDigested))
        self.destination = destination
        name = Self.partialPath(of: destination)
        self.folder = folder
        self.callerURL = callerURL.flatMap { $0.isPlainFileURL ? $0 : nil }
        self.reservation = reservation
        self.isSynced = isSynced
        isNamed = Atomic(file.isNamed)
        let size = file.byteCount
        bytesFlag = Atomic(size > 0)
        let folderDescriptor = folder?.descriptor ?? AT_FDCWD
        let recordName = Self.recordPath(of: Self.partialPath(of: destination))
        let hasRecord = file.isNamed && PartialRecord.isThere(recordName, in: folderDescriptor)
        recordFlag = Atomic(hasRecord)
        let record = hasRecord ? PartialRecord.read(recordName, in: folderDescriptor) : nil
        let isOfURL = url.map { record?.canBeContinued(by: $0) == true } ?? false
        let isUntouched = record?.stamp == nil || record?.stamp == Self.stamp(of: file.descriptor)
        initialRecord = size > 0 && isOfURL && isUntouched ? record?.unstamped : nil
        initialByteCount = initialRecord == nil ? 0 : size
        writtenStamp = Mutex(initialRecord == nil ? nil : Self.stamp(of: file.descriptor))
        if initialRecord == nil {
            removeRecord()  // first: a record must never describe bytes of another body
            if size > 0 { try truncate() }
        } else {
            setStamp(nil)  // first: the stamp is wrong as soon as a byte is written
        }
    }

    /// A URL of the open file, whatever its name. Valid as long as this object exists.
    package var openURL: URL { URL(fileURLWithPath: "/proc/self/fd/\(descriptor)", isDirectory: false) }

    private func shown(_ name: String) -> String { folder.map { "\($0.path)/\(name)" } ?? name }

    /// The current stamp of the file.
    var stamp: FileStamp? { Self.stamp(of: descriptor) }

    private static func stamp(of descriptor: CInt) -> FileStamp? {
        var file = bluebonnet_file()
        guard bluebonnet_look_at(descriptor, &file) == 0 else { return nil }
        return FileStamp(byteCount: file.byte_count, modified: file.modified)
    }

    /// Whether no other process has changed the file since this process wrote it. Waits for pending writes; blocks for
    /// as long as the file system does.
    package var isAsWritten: Bool {
        queue.sync { isAsLastWritten }
    }

    /// The same check while no write is running. An empty file without a recorded stamp counts as unchanged.
    var isAsLastWritten: Bool {
        let (written, found) = (writtenStamp.withLock { $0 }, stamp)
        return written == found || written == nil && found?.byteCount == 0
    }

    var mayHaveBytes: Bool { bytesFlag.load(ordering: .relaxed) }
    var mayHaveRecord: Bool { recordFlag.load(ordering: .relaxed) }

    /// Records that bytes will be written to the file.
    func expectBytes() { bytesFlag.store(true, ordering: .relaxed) }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(NetworkingError) {
        expectBytes()
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count > 0 {
                done += count
            } else if errno != EINTR {
                throw NetworkingError(.cannotWriteFile, "cannot write \(path)", underlying: POSIXError.last)
            }
        }
        recordStamp(byteCount: offset + Int64(bytes.count))
    }

    /// Records the stamp after a write that ended at `byteCount`. If the file has another length, it was already
    /// changed, and no stamp is stored.
    func recordStamp(byteCount: Int64) {
        let found = stamp
        writtenStamp.withLock { $0 = found?.byteCount == byteCount ? found : nil }
    }

    /// Drops the pending body and the digest of the written bytes.
    func forgetContents() {
        forgetDigest()
        contents.withLock { $0.whole = nil }
    }

    private func forgetDigest() {
        contents.withLock { contents in
            contents.incrementalDigest?.stop()
            contents.incrementalDigest = nil
            contents.knownDigest = nil
        }
    }

    /// Discards the written bytes. Leaves an empty file alone: ext4 would write a truncated file to disk as soon as it
    /// is closed. Keeps the pending body: when this runs on the queue, the pending body may already be the next one.
    func truncate() throws(NetworkingError) {
        forgetDigest()
        writtenStamp.withLock { $0 = nil }
        guard bytesFlag.load(ordering: .relaxed) else { return }
        if stamp?.byteCount == 0 { return }
        guard ftruncate(descriptor, 0) == 0 else {
            throw NetworkingError(.resumeRefused, "cannot truncate \(path) to start again", underlying: POSIXError.last)
        }
    }

    /// Releases the reservation and the lock, so that another download to the path can begin before the end of this
    /// download is reported.
    package func unlock() {
        if isNamed.load(ordering: .relaxed) { _ = flock(descriptor, LOCK_UN) }
        reservation?.release()
    }

    deinit { closeOffNetworkThread(descriptor) }
}

// MARK: - Name and record

extension PartialFile {
    /// Gives the file its name if it does not have it yet, and removes a record that was left under that name without a
    /// file.
    ///
    /// - Throws: `cannotOpenFile` if another download has created the name in the meantime.
    func giveName() throws(NetworkingError) {
        guard !isNamed.load(ordering: .relaxed) else { return }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, bluebonnet_link(descriptor, folderDescriptor, name) == 0 else {
            if errno == EEXIST { throw OpenedPartialFile.inUse(name) }
            throw NetworkingError(.cannotWriteFile, "cannot create \(name)", underlying: POSIXError.last)
        }
        isNamed.store(true, ordering: .relaxed)
        recordFlag.store(true, ordering: .relaxed)
        removeRecord()
    }

    /// Writes the record of the representation, before the first byte is written. Only the owner can read the record.
    ///
    /// The record is not synced to disk: it is for a killed process, not for a machine that lost power. An existing
    /// record is overwritten first and truncated afterwards, so that a full disk leaves the old record.
    func setRecord(_ record: PartialRecord) throws(NetworkingError) {
        try giveName()
        recordFlag.store(true, ordering: .relaxed)
        let descriptor = openat(folderDescriptor, recordName, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0, let data = try? record.encoded() else {
            throw NetworkingError(.cannotWriteFile, "cannot write \(shown(recordName))", underlying: POSIXError.last)
        }
        defer { close(descriptor) }
        let count = data.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == data.count, ftruncate(descriptor, off_t(count)) == 0 else {
            throw NetworkingError(.cannotWriteFile, "cannot write \(shown(recordName))", underlying: POSIXError.last)
        }
    }

    /// Stores in the record the stamp of a file that no process is writing; nil if a write is about to begin. Bytes
    /// without a stamp are trusted as they are.
    func setStamp(_ stamp: FileStamp?) {
        guard var record = PartialRecord.read(recordName, in: folderDescriptor), record.stamp != stamp else { return }
        record.stamp = stamp
        do { try setRecord(record) } catch { removeRecord() }
    }

    /// Removes the record: the bytes in the file cannot be continued.
    package func removeRecord() {
        guard recordFlag.load(ordering: .relaxed) else { return }
        let isGone = unlinkat(folderDescriptor, recordName, 0) == 0 || errno == ENOENT
        recordFlag.store(!isGone, ordering: .relaxed)
    }
}

extension URL {
    /// Whether the URL looks as if it was made from the path of a file.
    fileprivate var isPlainFileURL: Bool {
        let text = relativeString
        let isPlain = text.utf8.last != UInt8(ascii: "/") && !text.hasByte(UInt8(ascii: "?"))
        return isPlain && !text.hasByte(UInt8(ascii: "#")) && baseURL == nil
    }
}
