// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetBatch

@Suite struct LineNamesTests {
    private static func add(_ line: (number: Int, id: String?), _ names: inout LineNames) -> Int? {
        names.add(number: line.number, id: line.id)
    }

    @Test func lineWithoutAnIDIsNamedByItsNumber() {
        var names = LineNames()
        let lines: [(Int, String?)] = [(1, nil), (4, "b"), (5, nil)]
        let earlier = lines.map { Self.add($0, &names) }
        #expect(earlier == [nil, nil, nil])
        #expect((0..<3).map { names.id(at: $0) } == ["1", "b", "5"])
        #expect(names.place(of: "1") == 0 && names.place(of: "b") == 1 && names.place(of: "5") == 2)
        for unknown in ["4", "2", "01", "+1", "", "c"] { #expect(names.place(of: unknown) == nil, "\(unknown)") }
    }

    @Test func duplicateIDBelongsToTheEarlierLine() {
        var names = LineNames()
        let lines: [(Int, String?)] = [(1, "a"), (2, "a"), (3, "2"), (4, nil), (5, "4"), (6, "7"), (7, nil)]
        let earlier = lines.map { Self.add($0, &names) }
        #expect(earlier == [nil, 0, nil, nil, 3, nil, 5])
        #expect(names.place(of: "a") == 0)
    }

    @Test func mentionFindsALaterLine() {
        var names = LineNames()
        let (id, number, nothing) = (names.mention("late"), names.mention("2"), names.mention("nobody"))
        _ = names.add(number: 1, id: "late")
        _ = names.add(number: 2, id: nil)
        #expect(names.place(ofMention: id) == 0 && names.place(ofMention: number) == 1)
        #expect(names.place(ofMention: nothing) == nil)
    }

    @Test func textsAreNumberedInOrderOfInsertion() {
        var table = TextTable()
        for _ in 0..<2 {
            let numbers = (0..<5_000).map { table.insert("text \($0)") }
            #expect(numbers == Array(0..<5_000))
        }
        for number in 0..<5_000 {
            #expect(table.number(of: "text \(number)") == number && table[number] == "text \(number)")
        }
        let empty = table.insert("")
        #expect(table.number(of: "text") == nil && empty == 5_000 && table[5_000] == "" && table.count == 5_001)
    }
}
