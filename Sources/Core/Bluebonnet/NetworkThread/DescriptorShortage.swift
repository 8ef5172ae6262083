// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Glibc

/// Why no file descriptor could be opened: the process has all that it may have, or the system has.
enum DescriptorShortage: Sendable {
    case ofProcess
    case ofSystem

    /// Nil for an error number that says something else.
    init?(errorNumber: CInt) {
        switch errorNumber {
        case EMFILE: self = .ofProcess
        case ENFILE: self = .ofSystem
        default: return nil
        }
    }

    /// Nil while the process can open files. Asks the kernel for a descriptor, and does not block.
    static var current: DescriptorShortage? {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor < 0 else {
            close(descriptor)
            return nil
        }
        return DescriptorShortage(errorNumber: errno)
    }

    var errorNumber: CInt {
        switch self {
        case .ofProcess: EMFILE
        case .ofSystem: ENFILE
        }
    }

    /// The reason for users, in half a sentence.
    var sentence: String {
        switch self {
        case .ofProcess: "this process has as many open files as it may have (ulimit -n)"
        case .ofSystem: "the system has as many open files as it may have"
        }
    }
}

extension POSIXError {
    init(_ shortage: DescriptorShortage) { self.init(POSIXErrorCode(rawValue: shortage.errorNumber) ?? .EMFILE) }
}

extension NetworkingError {
    /// Why no file descriptor could be opened for a socket or a file; nil for any other error.
    var descriptorShortage: DescriptorShortage? {
        (underlying as? POSIXError).flatMap { DescriptorShortage(errorNumber: $0.code.rawValue) }
    }
}
