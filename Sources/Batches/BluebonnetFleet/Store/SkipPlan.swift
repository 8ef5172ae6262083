// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Finds the unsuccessful line that is the reason for each skipped line. A value type.
struct SkipPlan: Equatable {
    struct Need {
        let line: Int
        let needed: Int
    }

    /// The positions of the skipped lines.
    private(set) var positions: [Int] = []
    /// For each skipped line, the index of its reason in `roots`.
    private(set) var rootIndices: [Int] = []

    /// - Parameters:
    ///   - needs: the dependencies of each line.
    ///   - roots: the positions of the unsuccessful lines. The first root on which a line depends is its reason.
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
