// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The time of one operation, divided among wait reasons and phases. A value without a clock; in nanoseconds.
///
/// A cursor moves through the time of the operation: each charge attributes the time since the cursor to one share.
/// Therefore every nanosecond counts exactly once, and the sum of the shares is the distance from start to cursor.
package struct TimeShares: Sendable, Equatable {
    /// A share of the time of an operation.
    package enum Share: Sendable, Equatable, Hashable {
        case wait(WaitReason.Kind)
        case phase(TransferTimings.Phase)
    }

    private struct Rest: Sendable, Equatable {
        var share: Share
        var nanoseconds: UInt64
    }

    /// The shares that most operations have. The others are in a list, which is empty for most operations.
    private var slot: UInt64 = 0
    private var preparation: UInt64 = 0
    private var nameLookup: UInt64 = 0
    private var connect: UInt64 = 0
    private var tls: UInt64 = 0
    private var waiting: UInt64 = 0
    private var receiving: UInt64 = 0
    private var rest: [Rest] = []

    package init() {}

    /// Adds time to a share.
    package mutating func add(_ nanoseconds: UInt64, to share: Share) {
        guard nanoseconds > 0 else { return }
        switch share {
        case .wait(.slot): slot &+= nanoseconds
        case .phase(.preparation): preparation &+= nanoseconds
        case .phase(.nameLookup): nameLookup &+= nanoseconds
        case .phase(.connect): connect &+= nanoseconds
        case .phase(.tls): tls &+= nanoseconds
        case .phase(.waiting): waiting &+= nanoseconds
        case .phase(.receiving): receiving &+= nanoseconds
        case .wait:
            if let index = rest.firstIndex(where: { $0.share == share }) {
                rest[index].nanoseconds &+= nanoseconds
            } else {
                rest.append(Rest(share: share, nanoseconds: nanoseconds))
            }
        }
    }

    /// Divides the time of one transfer among its phases. The measurements of the transfer may exceed the time, for
    /// example because it was paused: then the earlier phases have priority.
    ///
    /// - Parameters:
    ///   - elapsed: the time of the transfer, without pauses.
    ///   - firstByte: the time from the start of the transfer to the first byte; 0 if no byte arrived.
    package mutating func addTransfer(
        _ elapsed: UInt64, nameLookup: UInt64, connect: UInt64, tls: UInt64, firstByte: UInt64
    ) {
        var left = elapsed
        func part(_ wanted: UInt64) -> UInt64 {
            let part = min(wanted, left)
            left -= part
            return part
        }
        add(part(nameLookup), to: .phase(.nameLookup))
        add(part(connect), to: .phase(.connect))
        add(part(tls), to: .phase(.tls))
        let connecting = elapsed - left
        if firstByte == 0 { return add(left, to: .phase(.waiting)) }
        add(part(firstByte - min(firstByte, connecting)), to: .phase(.waiting))
        add(left, to: .phase(.receiving))
    }

    /// The time of a phase.
    package subscript(_ phase: TransferTimings.Phase) -> UInt64 {
        switch phase {
        case .preparation: preparation
        case .nameLookup: nameLookup
        case .connect: connect
        case .tls: tls
        case .waiting: waiting
        case .receiving: receiving
        }
    }

    /// The sum of all shares.
    package var total: UInt64 {
        rest.reduce(slot &+ preparation &+ nameLookup &+ connect &+ tls &+ waiting &+ receiving) {
            $0 &+ $1.nanoseconds
        }
    }

    package var waits: [WaitReason.Kind: UInt64] {
        var waits: [WaitReason.Kind: UInt64] = slot > 0 ? [.slot: slot] : [:]
        for entry in rest { if case .wait(let kind) = entry.share { waits[kind] = entry.nanoseconds } }
        return waits
    }

    package var phases: [TransferTimings.Phase: UInt64] {
        TransferTimings.Phase.allCases.reduce(into: [:]) { phases, phase in
            if self[phase] > 0 { phases[phase] = self[phase] }
        }
    }
}
