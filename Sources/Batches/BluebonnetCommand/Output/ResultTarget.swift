// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// The destination of result lines: a file, or standard output.
struct ResultTarget {
    /// The name of the destination in messages.
    let name: String
    /// Whether the destination is a regular file.
    let isRegularFile: Bool
    /// Whether the destination is a terminal.
    var isTerminal: Bool { descriptor.isTerminal }
    private let descriptor: FileDescriptor

    /// Makes a target that writes to standard output.
    init() {
        name = "standard output"
        descriptor = .standardOutput
        isRegularFile = (try? descriptor.status.isRegularFile) ?? false
    }

    /// Opens the file of `--results` and empties it.
    ///
    /// - Parameters:
    ///   - input: the source of the request lines, which must not be overwritten.
    ///   - journals: the files of the journal, which must not be overwritten either.
    init(path: String, input: FileStatus, journals: [FileStatus] = []) throws(CommandError) {
        name = path
        var isJournal = false
        do throws(SystemError) {
            descriptor = try FileDescriptor(opening: path, O_WRONLY | O_CREAT)
            let status = try descriptor.status
            isRegularFile = status.isRegularFile
            guard isRegularFile else { return }
            if status.isSameFile(as: input) { throw SystemError(code: EEXIST) }
            isJournal = journals.contains { status.isSameFile(as: $0) }
            if isJournal { throw SystemError(code: EEXIST) }
            if ftruncate(descriptor.rawValue, 0) != 0 { throw SystemError.latest }
        } catch {
            let reason =
                isJournal ? "it is the journal" : error.code == EEXIST ? "the request lines are in it" : "\(error)"
            throw CommandError.unusable("cannot open \(path) for --results: \(reason)")
        }
    }

    /// Writes whole lines. If a write fails in the middle of a line, the partial line is removed from a regular file.
    func write(_ lines: [UInt8]) throws(SystemError) {
        var rest = lines[...]
        do throws(SystemError) {
            try descriptor.write(&rest)
        } catch {
            if isRegularFile { cutPartialLine(lines[..<rest.startIndex]) }
            throw error
        }
    }

    /// Removes the written part of the last line, unless another process has appended to the file since.
    private func cutPartialLine(_ written: ArraySlice<UInt8>) {
        let excess = written.count - (written.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
        let end = lseek(descriptor.rawValue, 0, SEEK_CUR)
        guard excess > 0, end >= excess, let length = try? descriptor.status.byteCount, length == end else { return }
        _ = ftruncate(descriptor.rawValue, end - excess)
    }
}
