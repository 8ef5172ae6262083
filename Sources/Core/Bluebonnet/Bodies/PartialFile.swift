// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Dispatch
internal import Foundation
internal import Glibc

/// A download that is being written beside its destination, or in the folder where it gets a name at the end.
///
/// Beside `DEST`, or under a name made of its digest where that would be too long, stand `DEST.bluebonnet-partial` with
/// the bytes and, when they could be continued, a record `DEST.bluebonnet-partial.json` that says of what they are a
/// part. The destination itself is not touched before the body is complete. Closed when the last reference goes; what
/// then becomes of the files, `keepOrRemove` has said.
///
/// Where nothing was left by an earlier download and the file system can do it, the file has no name at first: making a
/// name, replacing it and looking for a record are most of what a small file costs. `giveName` makes it when the body
/// turns out to be worth it; a small one gets its destination's name when it is complete, and none before.
///
/// A reservation keeps other downloads of this process from a destination, and a lock keeps other processes from a
/// named file. Of several files without a name the one completed last stays, complete.
final class PartialFile: Sendable {
    /// The destination, from which the partial file's name is made; in a folder only the latter counts.
    let destination: String
    /// The destination as the caller named it; nil in a folder, and where that is not how the file's URL looks.
    let place: URL?
    let folder: OutputFolder?
    /// Nil in a folder.
    private let reservation: PathReservation?
    let isSynced: Bool
    /// The bytes that were there when the file was opened, and may be continued.
    let initialByteCount: Int64
    /// The representation that the existing bytes are a part of.
    let initialRecord: PartialRecord?
    let descriptor: CInt
    /// Whether there may be a record: nobody else makes one while we have the lock, and looking costs.
    private let mayHaveRecord: Atomic<Bool>
    /// Whether the file has its name, and with it the lock.
    let isNamed: Atomic<Bool>
    /// Whether the file may have bytes, written or pending.
    private let mayHaveBytes: Atomic<Bool>
    let contents: Mutex<Contents>
    /// The file's stamp after the last write of this process; nil before the first.
    private let writtenStamp: Mutex<FileStamp?>
    /// Does what is to be done with the open file while the body arrives. Serial.
    let queue = DispatchQueue(label: "org.bluebonnet.writing.file")

    static let suffix = SuggestedFileName.reservedSuffix
    private static let recordSuffix = ".json"
    private static let nameByteLimit = 255

    /// The path of a destination's partial file, made so that its record's name fits a file system too.
    static func partialPath(of destination: String) -> String {
        let start = destination.utf8.lastIndex(of: UInt8(ascii: "/")).map { destination.utf8.index(after: $0) }
        let name = destination[(start ?? destination.startIndex)...]
        guard name.utf8.count + suffix.utf8.count + recordSuffix.utf8.count > nameByteLimit else {
            return destination + suffix
        }
        let digest = MessageDigest.hexadecimalDigest(of: Data(name.utf8)).prefix(32)
        return "\(destination[..<name.startIndex]).\(digest)\(suffix)"
    }

    /// The path of the record of a partial file.
    static func recordPath(of partialPath: String) -> String { partialPath + recordSuffix }

    /// The partial file, as messages show it.
    var path: String { isNamed.load(ordering: .relaxed) ? shown(name) : destination }
    let name: String
    private var recordName: String { Self.recordPath(of: name) }
    /// The folder that names are relative to.
    var base: CInt { folder?.descriptor ?? AT_FDCWD }

    /// Opens or creates the partial file of a destination that is known; may block for as long as the file system does.
    ///
    /// - Parameters:
    ///   - place: the destination as the caller named it.
    ///   - existing: what has the destination's name.
    ///   - url: what will be requested: a partial body of another resource is not continued.
    ///   - isSynced: whether the file is on the disk, not only on its way there, when it has been moved into place.
    ///   - isDigested: whether its digest will be asked for.
    convenience init(
        destination: String, place: URL? = nil, existing: ExistingFile? = nil, url: URL?, isSynced: Bool = false,
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
            file, destination: destination, place: place, reservation: reservation, url: url, isSynced: isSynced,
            isDigested: isDigested)
        // Others must not read here what they may not read there.
        if case .regular(let permissions) = replaced { _ = fchmod(descriptor, permissions | 0o600) }
    }

    /// Opens or creates a partial file in a folder, where the response will say its name. Its own name is made of the
    /// URL, so that a later download of the URL finds it, also with another signature in its query. Another download at
    /// the same time gets another name.
    convenience init(
        folder: OutputFolder, url: URL, isSynced: Bool = false, isDigested: Bool = false
    ) throws(NetworkingError) {
        let (file, destination) = try OpenedPartialFile.unused(of: url, in: folder)
        try self.init(
            file, destination: destination, folder: folder, url: url, isSynced: isSynced, isDigested: isDigested)
    }

    private init(
        _ file: OpenedPartialFile, destination: String, place: URL? = nil, folder: OutputFolder? = nil,
        reservation: PathReservation? = nil,
        url: URL?, isSynced: Bool, isDigested: Bool
    ) throws(NetworkingError) {
        descriptor = file.descriptor
        contents = Mutex(Contents(isDigested: isDigested))
        self.destination = destination
        name = Self.partialPath(of: destination)
        self.folder = folder
        self.place = place.flatMap { $0.isPlainFileURL ? $0 : nil }
        self.reservation = reservation
        self.isSynced = isSynced
        isNamed = Atomic(file.isNamed)
        let size = file.byteCount
        mayHaveBytes = Atomic(size > 0)
        let base = folder?.descriptor ?? AT_FDCWD
        let recordName = Self.recordPath(of: Self.partialPath(of: destination))
        let hasRecord = file.isNamed && PartialRecord.isThere(recordName, in: base)
        mayHaveRecord = Atomic(hasRecord)
        let record = hasRecord ? PartialRecord.read(recordName, in: base) : nil
        let isOfURL = url.map { record?.mayBeContinued(by: $0) == true } ?? false
        let isUntouched = record?.stamp == nil || record?.stamp == Self.stamp(of: file.descriptor)
        initialRecord = size > 0 && isOfURL && isUntouched ? record?.unstamped : nil
        initialByteCount = initialRecord == nil ? 0 : size
        writtenStamp = Mutex(initialRecord == nil ? nil : Self.stamp(of: file.descriptor))
        if initialRecord == nil {
            removeRecord()  // first: a record must never stand beside bytes of something else
            if size > 0 { try truncate() }
        } else {
            setStamp(nil)  // first: it does not fit any more once a byte is written
        }
    }

    private func shown(_ name: String) -> String { folder.map { "\($0.path)/\(name)" } ?? name }

    /// The current state of the file.
    var stamp: FileStamp? { Self.stamp(of: descriptor) }

    private static func stamp(of descriptor: CInt) -> FileStamp? {
        var file = bluebonnet_file()
        guard bluebonnet_look_at(descriptor, &file) == 0 else { return nil }
        return FileStamp(byteCount: file.byte_count, modified: file.modified)
    }

    /// Whether the file is as this process has written it, and no other process has changed it since. Waits for pending
    /// writes, and blocks for as long as the file system does.
    var isAsWritten: Bool {
        queue.sync { isAsLastWritten }
    }

    /// The same while no write is running. A file without bytes counts as a new one.
    var isAsLastWritten: Bool {
        let (written, found) = (writtenStamp.withLock { $0 }, stamp)
        return written == found || written == nil && found?.byteCount == 0
    }

    var mayHoldBytes: Bool { mayHaveBytes.load(ordering: .relaxed) }
    var mayHoldRecord: Bool { mayHaveRecord.load(ordering: .relaxed) }

    /// Bytes will be written to it.
    func expectBytes() { mayHaveBytes.store(true, ordering: .relaxed) }

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

    /// Keeps the stamp after a write that ended at `byteCount`. A file of another length was changed already.
    private func recordStamp(byteCount: Int64) {
        let found = stamp
        writtenStamp.withLock { $0 = found?.byteCount == byteCount ? found : nil }
    }

    /// Forgets the pending body and the digest of what was written.
    func forgetContents() {
        forgetDigest()
        contents.withLock { $0.whole = nil }
    }

    private func forgetDigest() {
        contents.withLock { contents in
            contents.incrementalDigest?.stop()
            contents.incrementalDigest = nil
        }
    }

    /// Throws away what was written. An empty file is left alone: ext4 would write one that was truncated to the disk
    /// as soon as it is closed. The pending body stays: by the time the queue gets here, it may be the next one.
    func truncate() throws(NetworkingError) {
        forgetDigest()
        writtenStamp.withLock { $0 = nil }
        guard mayHaveBytes.load(ordering: .relaxed) else { return }
        if stamp?.byteCount == 0 { return }
        guard ftruncate(descriptor, 0) == 0 else {
            throw NetworkingError(.resumeRefused, "cannot truncate \(path) to start again", underlying: POSIXError.last)
        }
    }

    /// Releases the reservation and the lock, so that another download to the path may begin before the end of this one
    /// is reported.
    func unlock() {
        if isNamed.load(ordering: .relaxed) { _ = flock(descriptor, LOCK_UN) }
        reservation?.release()
    }

    deinit { closeOffNetworkThread(descriptor) }
}

// MARK: - Name and record

extension PartialFile {
    /// Gives the file its name, if it has none yet, and takes a record away that stood under it without a file.
    ///
    /// - Throws: `cannotOpenFile` when another download has made the name since this one looked for it.
    func giveName() throws(NetworkingError) {
        guard !isNamed.load(ordering: .relaxed) else { return }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, bluebonnet_link(descriptor, base, name) == 0 else {
            if errno == EEXIST { throw OpenedPartialFile.inUse(name) }
            throw NetworkingError(.cannotWriteFile, "cannot create \(name)", underlying: POSIXError.last)
        }
        isNamed.store(true, ordering: .relaxed)
        mayHaveRecord.store(true, ordering: .relaxed)
        removeRecord()
    }

    /// Writes down what the bytes are a part of, before the first of them is written. Readable by the owner only.
    ///
    /// Not synced to disk: it is for a process that was killed, not for a machine that lost its power. A record that
    /// was there is written over and cut afterwards, so that a full disk leaves the old one.
    func setRecord(_ record: PartialRecord) throws(NetworkingError) {
        try giveName()
        mayHaveRecord.store(true, ordering: .relaxed)
        let descriptor = openat(base, recordName, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0, let data = try? record.encoded() else {
            throw NetworkingError(.cannotWriteFile, "cannot write \(shown(recordName))", underlying: POSIXError.last)
        }
        defer { close(descriptor) }
        let count = data.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == data.count, ftruncate(descriptor, off_t(count)) == 0 else {
            throw NetworkingError(.cannotWriteFile, "cannot write \(shown(recordName))", underlying: POSIXError.last)
        }
    }

    /// Notes in the record what the file is like while nobody writes to it; nil when somebody is about to. Without a
    /// stamp the bytes are believed as they are.
    func setStamp(_ stamp: FileStamp?) {
        guard var record = PartialRecord.read(recordName, in: base), record.stamp != stamp else { return }
        record.stamp = stamp
        do { try setRecord(record) } catch { removeRecord() }
    }

    /// Takes the record away: what is in the file cannot be continued.
    func removeRecord() {
        guard mayHaveRecord.load(ordering: .relaxed) else { return }
        let isGone = unlinkat(base, recordName, 0) == 0 || errno == ENOENT
        mayHaveRecord.store(!isGone, ordering: .relaxed)
    }
}

extension URL {
    /// Whether it looks like one that was made of the path of a file.
    fileprivate var isPlainFileURL: Bool {
        let text = relativeString
        let isPlain = text.utf8.last != UInt8(ascii: "/") && !text.hasByte(UInt8(ascii: "?"))
        return isPlain && !text.hasByte(UInt8(ascii: "#")) && baseURL == nil
    }
}
