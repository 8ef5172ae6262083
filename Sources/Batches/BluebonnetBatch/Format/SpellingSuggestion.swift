// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Finds the name that was probably meant, for error messages.
package enum SpellingSuggestion {
    /// Returns the candidate with the least distance to `name`, if the distance is less than half of the longer name.
    package static func of(_ name: String, among candidates: [String]) -> String? {
        let letters = Array(name.lowercased().utf8)
        guard letters.count <= 40 else { return nil }
        let ranked = candidates.map { (name: $0, distance: distance(letters, Array($0.lowercased().utf8))) }
        guard let nearest = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return nearest.distance * 2 < max(letters.count, nearest.name.utf8.count) ? nearest.name : nil
    }

    /// Returns how many letters were added, omitted, changed or swapped with their neighbour.
    private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var rows = [Array(0...second.count)]
        for (row, letter) in first.enumerated() {
            var current = [row + 1]
            for (column, other) in second.enumerated() {
                var least = min(rows[row][column + 1], current[column]) + 1
                least = min(least, rows[row][column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
                    least = min(least, rows[row - 1][column - 1] + 1)
                }
                current.append(least)
            }
            rows.append(current)
        }
        return rows[first.count][second.count]
    }
}
