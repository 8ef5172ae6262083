// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Something that has to hold in every round of Bluebonnet.
struct Goal: Sendable {
    let claim: String
    let isMet: @Sendable (Sample) -> Bool
}

/// Whether a goal was met.
struct GoalOutcome: Encodable {
    let claim: String
    let isMet: Bool

    init(_ goal: Goal, rounds: [Sample]) {
        claim = goal.claim
        isMet = rounds.allSatisfy(goal.isMet)
    }
}

extension Goal {
    static let smallMemory = Goal(claim: "less than 64 MiB of memory") {
        $0.measured.peakResidentByteCount < 64 << 20
    }

    static let oneNetworkThread = Goal(claim: "one network thread") { $0.threads?.ownCount == 1 }

    static let fewThreads = Goal(claim: "no more than 20 threads") { ($0.threads?.maximum ?? .max) <= 20 }

    static let descriptorsReturned = Goal(claim: "descriptors back to where they were") {
        $0.measured.descriptorCountAfter == $0.measured.descriptorCountBefore
    }
}
