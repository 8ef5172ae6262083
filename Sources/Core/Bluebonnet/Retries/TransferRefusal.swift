// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Why a transfer must not be sent at present although it has a slot. A value.
struct TransferRefusal: Sendable {
    /// The error of the operation, unless it waits.
    let error: NetworkingError
    /// The instant of the retries' clock until which an operation may wait if its policy allows waiting that long; nil
    /// if waiting does not help.
    let end: UInt64?
}
