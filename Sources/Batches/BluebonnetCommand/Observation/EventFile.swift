// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// A file that an option names and that the command writes during a run.
///
/// A regular file is complete after each write: the next write replaces its end. Other files, such as pipes, get the
/// end with `finish`.
struct EventFile {
    /// The option, and the path as given.
    let option, path: String
    private let descriptor: FileDescriptor
    private let isRegularFile: Bool
    /// Where the end of the text begins.
    private var position: Int = 0
    private var tail: [UInt8] = []
    private var error: SystemError?

    /// Opens a file, and leaves its content.
    ///
    /// - Parameter others: files that must not be overwritten, with the words that name them in an error.
    init(option: String, path: String, others: [(FileStatus, String)]) throws(CommandError) {
        (self.option, self.path) = (option, path)
        var other: String?
        do throws(SystemError) {
            descriptor = try FileDescriptor(opening: path, O_WRONLY | O_CREAT)
            let status = try descriptor.status
            isRegularFile = status.isRegularFile
            guard isRegularFile else { return }
            other = others.first { status.isSameFile(as: $0.0) }?.1
            if other != nil { throw SystemError(code: EEXIST) }
        } catch {
            throw .unusable("cannot open \(path) for \(option): \(other.map { "it is \($0)" } ?? "\(error)")")
        }
    }

    /// The status of a regular file; nil for another file.
    var status: FileStatus? { isRegularFile ? try? descriptor.status : nil }

    /// Replaces the content.
    mutating func begin(_ head: String, tail: String = "") {
        self.tail = Array(tail.utf8)
        if isRegularFile, ftruncate(descriptor.rawValue, 0) != 0 { error = .latest }
        append(head)
    }

    /// Appends text before the end. After an error, nothing is written.
    mutating func append(_ text: String) {
        guard error == nil else { return }
        let bytes = Array(text.utf8)
        do throws(SystemError) {
            try write(isRegularFile ? bytes + tail : bytes)
            position += bytes.count
        } catch {
            self.error = error
            // Even on a full disk, the old end can be overwritten.
            guard isRegularFile, (try? write(tail)) != nil else { return }
            _ = ftruncate(descriptor.rawValue, position + tail.count)
        }
    }

    private func write(_ bytes: [UInt8]) throws(SystemError) {
        if isRegularFile { lseek(descriptor.rawValue, position, SEEK_SET) }
        var rest = bytes[...]
        try descriptor.write(&rest)
    }

    /// Ends the content.
    ///
    /// - Throws: the error with which writing ended.
    mutating func finish() throws(CommandError) {
        if error == nil, !isRegularFile { append(String(decoding: tail, as: UTF8.self)) }
        if let error { throw .unusable("cannot write to \(path) for \(option): \(error)") }
    }
}
