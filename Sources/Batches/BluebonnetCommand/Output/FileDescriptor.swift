// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
import Foundation
import Glibc

/// A file descriptor. It is never closed: the descriptors of the command stay open until the process ends.
struct FileDescriptor: Equatable {
    static let standardInput = FileDescriptor(STDIN_FILENO)
    static let standardOutput = FileDescriptor(STDOUT_FILENO)
    static let standardError = FileDescriptor(STDERR_FILENO)

    let rawValue: Int32

    init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// Opens a file. `flags` may contain `O_CREAT`.
    init(opening path: String, _ flags: Int32) throws(SystemError) {
        rawValue = Glibc.open(path, flags | O_CLOEXEC, 0o666)
        guard rawValue >= 0 else { throw SystemError.latest }
    }

    /// The status of the open file.
    var status: FileStatus {
        get throws(SystemError) {
            var file = bluebonnet_file()
            guard bluebonnet_look_at(rawValue, &file) == 0 else { throw SystemError.latest }
            return FileStatus(file)
        }
    }

    /// Whether the descriptor is a terminal.
    var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Writes all bytes, with several calls if necessary, and waits while the descriptor is not writable. Removes
    /// written bytes from `bytes`.
    func write(_ bytes: inout ArraySlice<UInt8>) throws(SystemError) {
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else {
                try passOver(.latest, until: POLLOUT)
            }
        }
    }

    /// Reads up to `limit` bytes. Waits for the first byte; returns an empty array at the end of the file.
    func read(upTo limit: Int) throws(SystemError) -> [UInt8] {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initializedCount in
                count = Glibc.read(rawValue, buffer.baseAddress, limit)
                initializedCount = max(0, count)
            }
            if count >= 0 { return bytes }
            try passOver(.latest, until: POLLIN)
        }
    }

    /// Returns if the call can be repeated: at once after `EINTR`, after waiting for the descriptor after `EAGAIN`.
    /// Throws other errors.
    private func passOver(_ error: SystemError, until event: Int32) throws(SystemError) {
        switch error.code {
        case EINTR: return
        case EAGAIN:
            var entry = pollfd(fd: rawValue, events: Int16(event), revents: 0)
            poll(&entry, 1, -1)
        default: throw error
        }
    }
}

/// The kernel's information about a file.
struct FileStatus {
    private let file: bluebonnet_file

    fileprivate init(_ file: bluebonnet_file) { self.file = file }

    /// Reads the status of the file at a path, following symbolic links; nil if that fails.
    init?(path: String) {
        var file = bluebonnet_file()
        guard bluebonnet_look_at_target(AT_FDCWD, path, &file) == 0 else { return nil }
        self.init(file)
    }

    /// Whether the file is a regular file, which can be read to its end and truncated.
    var isRegularFile: Bool { file.is_regular }

    /// Whether the file is a folder.
    var isFolder: Bool { file.kind == S_IFDIR }

    var byteCount: Int64 { file.byte_count }

    /// The permission bits.
    var permissions: UInt32 { file.permissions }

    /// Returns whether both are the same file, even under different paths.
    func isSameFile(as other: FileStatus) -> Bool {
        file.device == other.file.device && file.inode == other.file.inode
    }
}

/// The error of a failed system call.
struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The value of `errno`.
    let code: Int32

    /// The error of this thread's latest failed call.
    static var latest: SystemError { SystemError(code: errno) }

    var description: String { String(cString: strerror(code)) }
}
