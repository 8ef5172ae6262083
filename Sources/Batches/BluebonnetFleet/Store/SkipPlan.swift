// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Which of the lines that did not succeed is the reason for each line that is skipped. A value.
struct SkipPlan: Equatable {
    struct Need {
        let line: Int
        let needed: Int
    }

    /// The lines that are skipped.
    private(set) var positions: [Int] = []
    /// For each of them, the index of its reason.
    private(set) var rootIndices: [Int] = []

    /// - Parameters:
    ///   - needs: what each of the lines needs.
    ///   - roots: the lines that did not succeed. The first one that a line depends on is its reason.
    init(_ needs: [Need], roots: [Int]) {
        let dependents = Dictionary(grouping: needs, by: \.needed)
        var known: Set<Int> = []
        for (index, root) in roots.enumerated() {
            var reached = [root]
            while let position = reached.popLast() {
                for need in dependents[position] ?? [] where known.insert(need.line).inserted {
                    positions.append(need.line)
                    rootIndices.append(index)
                    reached.append(need.line)
                }
            }
        }
    }
}
