// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// The kind of file at the path to which a complete file will be renamed. A rename replaces a file of any kind, so only
/// regular files, and links to them, may be replaced. Not on the network thread: examining a file may block.
package enum ExistingFile: Equatable {
    case none
    /// A regular file, or a symbolic link to one.
    case regular(permissions: UInt32)
    /// A character device, or a symbolic link to one. It can be written to, and must not be replaced.
    case device

    /// Examines the file at a path. A relative path is resolved against the folder's descriptor.
    ///
    /// - Parameter shown: the path for error messages.
    /// - Throws: `cannotOpenFile` if the path names a file that can neither be replaced nor be written to as a device.
    package init(_ path: String, in folder: CInt? = nil, shown: String? = nil) throws(NetworkingError) {
        func refusal(_ reason: String) -> NetworkingError {
            NetworkingError(.cannotOpenFile, "cannot write \(shown ?? path): it is \(reason)")
        }
        let folder = folder ?? AT_FDCWD
        var file = bluebonnet_file()
        guard bluebonnet_look_at_path(folder, path, &file) == 0 else {
            self = .none
            return
        }
        let isLink = file.kind == S_IFLNK
        guard !isLink || bluebonnet_look_at_target(folder, path, &file) == 0 else {
            if Self.isDescriptor(path, in: folder) { throw refusal("a descriptor that is not open") }
            self = .none  // a dangling link
            return
        }
        switch file.kind {
        case S_IFREG:
            // Replacing /dev/stdout would remove it for all processes.
            if isLink, Self.isDescriptor(path, in: folder) { throw refusal("a descriptor of this process") }
            self = .regular(permissions: file.permissions & 0o777)
        case S_IFCHR: self = .device
        case S_IFDIR: throw refusal("a folder; end the path with a slash to let the response name a file in it")
        case S_IFIFO: throw refusal("a FIFO or pipe, not a regular file")
        case S_IFSOCK: throw refusal("a socket, not a regular file")
        default: throw refusal("not a regular file")
        }
    }

    /// Throws if a rename must not replace the file at a path.
    ///
    /// - Throws: `cannotWriteFile`.
    @discardableResult
    package static func checkReplaceable(
        _ path: String, in folder: CInt? = nil, shown: String? = nil
    ) throws(NetworkingError) -> ExistingFile {
        let found: ExistingFile
        do throws(NetworkingError) {
            found = try ExistingFile(path, in: folder, shown: shown)
        } catch {
            throw NetworkingError(.cannotWriteFile, error.message)
        }
        guard found != .device else {
            throw NetworkingError(.cannotWriteFile, "cannot replace \(shown ?? path): it is a device")
        }
        return found
    }

    /// Returns whether a link leads to an open file of a process, as `/dev/stdout` does.
    private static func isDescriptor(_ link: String, in folder: CInt) -> Bool {
        let prefix = "/proc/"
        return withUnsafeTemporaryAllocation(byteCount: prefix.utf8.count, alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return false }
            return readlinkat(folder, link, start, buffer.count) == buffer.count && buffer.elementsEqual(prefix.utf8)
        }
    }
}
