// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
import Foundation
import Glibc

/// The kernel's number of an open file. It does not close itself: the descriptors of this command last as long as it.
struct FileDescriptor: Equatable {
    static let standardInput = FileDescriptor(STDIN_FILENO)
    static let standardOutput = FileDescriptor(STDOUT_FILENO)
    static let standardError = FileDescriptor(STDERR_FILENO)

    let rawValue: Int32

    init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// Opens a file, which is made when `flags` say so.
    init(opening path: String, _ flags: Int32) throws(SystemError) {
        rawValue = Glibc.open(path, flags | O_CLOEXEC, 0o666)
        guard rawValue >= 0 else { throw SystemError.latest }
    }

    /// The kernel's information about the file.
    var status: FileStatus {
        get throws(SystemError) {
            var file = bluebonnet_file()
            guard bluebonnet_look_at(rawValue, &file) == 0 else { throw SystemError.latest }
            return FileStatus(file)
        }
    }

    /// Whether it is a terminal.
    var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Writes all of the bytes, however many the kernel takes at once and however long it lets one wait; takes away
    /// from them what is written.
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

    /// Reads what there is, up to `limit` bytes; waits for the first one, and gives nothing at the end.
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

    /// Goes on after an error that only means "again", when the descriptor is ready; throws any other.
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

    /// Reads the status of the file at a path, through symbolic links; nil where there is none.
    init?(path: String) {
        var file = bluebonnet_file()
        guard bluebonnet_look_at_target(AT_FDCWD, path, &file) == 0 else { return nil }
        self.init(file)
    }

    /// Whether it is an ordinary file, which can be read to its end and cut.
    var isRegularFile: Bool { file.is_regular }

    /// Whether it is a folder.
    var isFolder: Bool { file.kind == S_IFDIR }

    var byteCount: Int64 { file.byte_count }

    /// Whether it is the same file as another, whatever their paths.
    func isSameFile(as other: FileStatus) -> Bool {
        file.device == other.file.device && file.inode == other.file.inode
    }
}

/// Why a system call failed.
struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The number in `errno`.
    let code: Int32

    /// The error of the call that this thread made last.
    static var latest: SystemError { SystemError(code: errno) }

    var description: String { String(cString: strerror(code)) }
}
