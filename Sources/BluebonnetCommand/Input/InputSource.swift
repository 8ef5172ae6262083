// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// Where the request lines come from.
enum InputSource {
    /// An ordinary file: to be checked as a whole.
    case file(FileDescriptor)
    /// A pipe, a terminal or the like: read as it comes.
    case stream(FileDescriptor)

    /// Opens the file at `path`, or standard input for nil and "-".
    static func open(_ path: String?) throws(CommandError) -> (source: InputSource, status: stat) {
        let path = path == "-" ? nil : path
        do throws(SystemError) {
            // A named pipe would make opening wait for its writer; reading waits as well, and can be interrupted.
            let descriptor = try path.map { path throws(SystemError) in
                try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
            }
            let input = descriptor ?? .standardInput
            let status = try input.status
            if status.isFolder { throw SystemError(code: EISDIR) }
            return (status.isRegularFile ? .file(input) : .stream(input), status)
        } catch {
            throw CommandError.unusable("cannot read \(path ?? "standard input"): \(error)")
        }
    }
}
