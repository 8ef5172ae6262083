// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The rows of the tables on the documentation page: the number of cases, and the cases with a different result.
struct ChainTable {
    /// One row for each family, and a row with the totals.
    let families: [String]
    /// One row for each reason.
    let differences: [String]

    init(_ cases: [ChainCase]) {
        let groups = Dictionary(grouping: cases, by: \.family).sorted { $0.key < $1.key }
        families = groups.map { Self.row("`\($0.key)`", $0.value) } + [Self.row("all", cases)]
        differences = ChainDifference.all.map { difference in
            let expected = cases.first { difference.identifiers.contains($0.identifier) }?.expected
            let end = expected == .success ? "accepted | refused" : "refused | accepted"
            let names = difference.identifiers.sorted().map { "`\($0)`" }.joined(separator: ", ")
            return "| \(end) | \(difference.reason) | \(names) |"
        }
    }

    private static func row(_ name: String, _ cases: [ChainCase]) -> String {
        let different = cases.filter { ChainDifference.of($0) != nil }
        let stricter = different.count { $0.expected == .success }
        return "| \(name) | \(cases.count) | \(cases.count - different.count) | \(stricter) | "
            + "\(different.count - stricter) |"
    }
}
