// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Foundation
internal import Glibc

// The end of a file: it becomes the destination, is kept to be continued, or is removed.
extension PartialFile {
    /// Writes the pending bytes of the complete body, moves the file into place and returns its path: replaces a file
    /// at the destination, or gets a name in the folder that the response suggests.
    ///
    /// - Parameter suggestion: what the response suggests.
    @discardableResult
    func moveIntoPlace(as suggestion: @autoclosure () -> String = SuggestedFileName.fallback) throws(NetworkingError)
        -> String
    {
        try writePendingBody()
        if try linkIntoPlace() { return destination }
        guard isInPlace else {
            removeRecord()  // it says nothing about the file that stands there
            throw NetworkingError(.cannotWriteFile, "\(path) was removed or replaced while it was being written")
        }
        if isSynced { try sync(descriptor, path) }
        let final: String
        if let folder {
            final = try folder.place(name, as: suggestion(), setPermissions)
        } else {
            try setPermissions(like: ExistingFile.checkReplaceable(destination))
            guard rename(name, destination) == 0 else {
                throw NetworkingError(
                    .cannotWriteFile, "cannot move \(path) to \(destination)", underlying: POSIXError.last)
            }
            final = destination
        }
        removeRecord()
        if isSynced { try syncFolder(of: final) }
        return final
    }

    /// Links a file without a name to its destination; false when the file has a name, or needs one because it has to
    /// replace another file.
    private func linkIntoPlace() throws(NetworkingError) -> Bool {
        guard !isNamed.load(ordering: .relaxed) else { return false }
        if isSynced { try sync(descriptor, path) }
        if bluebonnet_link(descriptor, AT_FDCWD, destination) == 0 {
            if isSynced { try syncFolder(of: destination) }
            return true
        }
        guard errno == EEXIST else {
            throw NetworkingError(.cannotWriteFile, "cannot create \(destination)", underlying: POSIXError.last)
        }
        try giveName()
        return false
    }

    /// Gives the file the permissions of the one that it replaces.
    private func setPermissions(like replaced: ExistingFile) throws(NetworkingError) {
        guard case .regular(let permissions) = replaced else { return }
        var file = bluebonnet_file()
        guard bluebonnet_look_at(descriptor, &file) != 0 || file.permissions != permissions else { return }
        guard fchmod(descriptor, permissions) == 0 else {
            let reason = "cannot give \(path) the permissions of the file that it replaces"
            throw NetworkingError(.cannotWriteFile, reason, underlying: POSIXError.last)
        }
    }

    /// The file's bytes are safe; now its new name.
    private func syncFolder(of final: String) throws(NetworkingError) {
        if let folder { return try sync(folder.descriptor, folder.path) }
        let path = URL(fileURLWithPath: final).deletingLastPathComponent().path
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else {
            throw NetworkingError(.cannotWriteFile, "cannot sync the folder \(path)", underlying: POSIXError.last)
        }
        defer { close(opened) }
        try sync(opened, path)
    }

    private func sync(_ descriptor: CInt, _ path: String) throws(NetworkingError) {
        guard fsync(descriptor) != 0 else { return }
        throw NetworkingError(.cannotWriteFile, "cannot sync \(path) to its disk", underlying: POSIXError.last)
    }

    /// After a failure: keeps a file that can be continued, with its pending bytes written; removes any other.
    func keepOrRemove(canContinue: Bool) {
        contents.withLock { $0.incrementalDigest?.stop() }
        guard isNamed.load(ordering: .relaxed) else { return }  // it goes when it is closed
        guard isInPlace else { return removeRecord() }  // what stands there is not ours, so the record is wrong
        if canContinue {
            do { return try keep() } catch {}  // what cannot be written cannot be continued
        }
        removeRecord()
        unlinkat(base, name, 0)
    }

    private func keep() throws(NetworkingError) {
        try writePendingBody()
        guard isAsLastWritten else {
            throw NetworkingError(.cannotWriteFile, "another process has written to \(path)")
        }
        setStamp(stamp)
    }

    /// Whether the path still names the file that is being written.
    private var isInPlace: Bool {
        var file = bluebonnet_file()
        var named = bluebonnet_file()
        return bluebonnet_look_at(descriptor, &file) == 0 && bluebonnet_look_at_path(base, name, &named) == 0
            && file.inode == named.inode
    }
}
