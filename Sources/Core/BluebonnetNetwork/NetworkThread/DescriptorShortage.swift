// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation
internal import Glibc

/// The reason why no file descriptor could be opened: the process or the system has reached its limit.
package enum DescriptorShortage: Sendable {
    case ofProcess
    case ofSystem

    /// Nil for an error number with another meaning.
    init?(errorNumber: CInt) {
        switch errorNumber {
        case EMFILE: self = .ofProcess
        case ENFILE: self = .ofSystem
        default: return nil
        }
    }

    /// The current shortage; nil while the process can open files. Requests a descriptor from the kernel, and does not
    /// block.
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

    /// The reason for users, as a clause for a message.
    var sentence: String {
        switch self {
        case .ofProcess: "the process has reached its limit of open files (ulimit -n)"
        case .ofSystem: "the system has reached its limit of open files"
        }
    }
}

extension POSIXError {
    package init(_ shortage: DescriptorShortage) {
        self.init(POSIXErrorCode(rawValue: shortage.errorNumber) ?? .EMFILE)
    }
}

extension NetworkingError {
    /// The reason why no file descriptor could be opened for a socket or a file; nil for any other error.
    package var descriptorShortage: DescriptorShortage? {
        (underlying as? POSIXError).flatMap { DescriptorShortage(errorNumber: $0.code.rawValue) }
    }
}
