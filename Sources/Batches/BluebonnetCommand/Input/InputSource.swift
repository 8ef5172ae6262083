// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
import Glibc

/// The source of the request lines.
enum InputSource {
    /// A regular file, which is checked as a whole.
    case file(FileDescriptor)
    /// A pipe, a terminal or another stream, whose lines are read as they arrive.
    case stream(FileDescriptor)

    /// Opens the file at `path`, or standard input for nil and "-".
    ///
    /// - Parameter content: what is in the file, for the message at a terminal.
    static func open(
        _ path: String?, of content: String = "request lines"
    ) throws(CommandError) -> (source: InputSource, status: FileStatus) {
        let path = path == "-" ? nil : path
        do throws(SystemError) {
            // Opening a named pipe would block until it has a writer. Reading waits instead, and can be interrupted.
            let descriptor = try path.map { path throws(SystemError) in
                try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
            }
            let input = descriptor ?? .standardInput
            let status = try input.status
            if status.isFolder { throw SystemError(code: EISDIR) }
            if input.isTerminal { StandardError.write("reading \(content) from the terminal; Ctrl-D ends them\n") }
            return (status.isRegularFile ? .file(input) : .stream(input), status)
        } catch {
            throw CommandError.unusable("cannot read \(path ?? "standard input"): \(error)")
        }
    }
}

extension InputSource {
    /// Returns a file with the lines. A stream is copied to its end into a file without a name, so that its lines can
    /// be checked as a whole without being in memory.
    ///
    /// - Throws: also an error for a line without an end, which would fill the disk.
    func file() throws(CommandError) -> FileDescriptor {
        switch self {
        case .file(let file): return file
        case .stream(let stream):
            guard let descriptor = NamelessFile.open() else {
                throw .unusable("cannot create a temporary file for the request lines: \(SystemError.latest)")
            }
            let file = FileDescriptor(descriptor)
            var lines = LineMeasure()
            do throws(SystemError) {
                let reader = try StreamReader(stream, control: StopControl())
                while !lines.isTooLong, case .bytes(let bytes) = try reader.next() {
                    lines.add(bytes)
                    var rest = bytes[...]
                    try file.write(&rest)
                }
            } catch {
                throw .unusable("cannot read the request lines: \(error)")
            }
            if lines.isTooLong { throw .badLines([RequestLineError(line: lines.number, message: lines.tooLong)]) }
            lseek(descriptor, 0, SEEK_SET)
            return file
        }
    }
}
