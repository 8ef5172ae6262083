// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Why a transfer must not be sent at present, although there is a slot for it. A value.
struct TransferRefusal: Sendable {
    /// What the operation ends with, unless it waits.
    let error: NetworkingError
    /// Until when an operation may wait that has more patience than others; an instant of the retries' clock. Nil when
    /// waiting is of no use.
    let end: UInt64?
}
