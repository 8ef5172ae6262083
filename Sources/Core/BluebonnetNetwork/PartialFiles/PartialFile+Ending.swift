// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Foundation
internal import Glibc

// How a file ends: moved to its destination, kept for a continuation, or removed.
extension PartialFile {
    /// Writes the pending bytes of the complete body, moves the file into place and returns its path. The file replaces
    /// a file at the destination, or gets the name that the response suggests in the folder.
    ///
    /// - Parameter suggestion: the file name that the response suggests.
    @discardableResult
    package func moveIntoPlace(as suggestion: @autoclosure () -> String = SuggestedFileName.fallback)
        throws(NetworkingError)
        -> String
    {
        try writePendingBody()
        if try linkIntoPlace() { return destination }
        guard isInPlace else {
            removeRecord()  // does not describe the file that has the name now
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

    /// Links a file without a name to its destination. Returns false if the file has a name, or if it needs one to
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

    /// Gives the file the permissions of the file that it replaces.
    private func setPermissions(like replaced: ExistingFile) throws(NetworkingError) {
        guard case .regular(let permissions) = replaced else { return }
        var file = bluebonnet_file()
        guard bluebonnet_look_at(descriptor, &file) != 0 || file.permissions != permissions else { return }
        guard fchmod(descriptor, permissions) == 0 else {
            let reason = "cannot give \(path) the permissions of the replaced file"
            throw NetworkingError(.cannotWriteFile, reason, underlying: POSIXError.last)
        }
    }

    /// Syncs the file's new name to disk; the file's bytes are already there.
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
        throw NetworkingError(.cannotWriteFile, "cannot sync \(path) to disk", underlying: POSIXError.last)
    }

    /// Ends a file after an error: keeps a file that can be continued, with its pending bytes written, and removes any
    /// other.
    package func keepOrRemove(canContinue: Bool) {
        contents.withLock { $0.incrementalDigest?.stop() }
        guard isNamed.load(ordering: .relaxed) else { return }  // a file without a name is deleted when it is closed
        guard isInPlace else { return removeRecord() }  // another file has the name, so the record is wrong
        if canContinue {
            do { return try keep() } catch {}  // without all its bytes the file cannot be continued
        }
        removeRecord()
        unlinkat(folderDescriptor, name, 0)
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
        return bluebonnet_look_at(descriptor, &file) == 0
            && bluebonnet_look_at_path(folderDescriptor, name, &named) == 0
            && file.inode == named.inode
    }
}
