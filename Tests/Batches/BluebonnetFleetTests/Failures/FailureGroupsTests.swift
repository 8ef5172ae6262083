// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetFleet

/// Groups of failures, without a store.
@Suite struct FailureGroupsTests {
    private typealias Row = (id: String, code: String?, status: Int?, origin: String)

    private static let rows: [Row] = [
        ("a", "timedOut", nil, "http://h"), ("b", "unacceptableStatus", 500, "http://h"),
        ("c", "unacceptableStatus", 500, "http://i"), ("d", "unacceptableStatus", 404, "http://h"),
        ("e", "unacceptableStatus", 500, "http://h"), ("f", "cannotConnect", nil, ""), ("g", nil, 200, ""),
    ]

    private static func result(_ row: Row) -> StoredResult {
        let status = row.status.map { #""status":\#($0),"# } ?? ""
        let code = row.code.map { #""code":"\#($0)","# } ?? ""
        let line = #"{"id":"\#(row.id)",\#(status)"error":{\#(code)"message":"m-\#(row.id)"}}"#
        return StoredResult(position: 0, line: Data(line.utf8), origin: row.origin)
    }

    /// Each group as its count, its values and the ids of its samples.
    private static func texts(_ groups: FailureGroups) -> [String] {
        groups.groups.map { group in
            let values = [group.code, group.status.map(String.init), group.origin].compactMap(\.self)
            return (["\(group.count)"] + values + group.samples.map(\.id)).joined(separator: " ")
        }
    }

    @Test(
        arguments: [
            ([], ["7 a b"]),
            ([.code], ["4 unacceptableStatus b c", "1 g", "1 cannotConnect f", "1 timedOut a"]),
            ([.status], ["3 500 b c", "2 a f", "1 200 g", "1 404 d"]),
            ([.origin], ["4 http://h a b", "2 f g", "1 http://i c"]),
            (
                [.code, .status],
                [
                    "3 unacceptableStatus 500 b c", "1 200 g", "1 cannotConnect f", "1 timedOut a",
                    "1 unacceptableStatus 404 d",
                ]
            ),
            (
                [.code, .origin],
                [
                    "3 unacceptableStatus http://h b d", "1 g", "1 cannotConnect f", "1 timedOut http://h a",
                    "1 unacceptableStatus http://i c",
                ]
            ),
        ] as [([FailureGroup.Field], [String])])
    func groupHasTheSameValuesOfItsFields(fields: [FailureGroup.Field], expected: [String]) throws {
        var groups = FailureGroups(sampleLimit: 2)
        for row in Self.rows { try groups.add(Self.result(row), by: Set(fields)) }
        #expect(Self.texts(groups) == expected)
    }

    @Test(
        arguments: [
            ("timedOut", nil, "timedOut"), ("unacceptableStatus", 503, "unacceptableStatus (503)"),
            ("unacceptableStatus", nil, "unacceptableStatus"), ("timedOut", 200, "timedOut"), (nil, 503, "unknown"),
        ] as [(String?, Int?, String)])
    func titleHasTheStatusThatWasNotAccepted(code: String?, status: Int?, title: String) {
        var groups = FailureGroups()
        groups.add(.shown(code: code, status: status), samples: [])
        #expect(groups.groups.map(\.title) == [title])
    }

    @Test func shownGroupsAndSamplesAreLimited() {
        var groups = FailureGroups()
        let long = String(repeating: "x", count: 1_000)
        for code in 0..<40 {
            for line in 0..<5 {
                groups.add(.shown(code: "c\(code)", status: nil), samples: [.init(id: "\(line)\(long)", message: long)])
            }
        }
        let found = groups.groups
        #expect(found.count == FailureGroups.shownGroupLimit + 1)
        #expect(found[0].title == FailureGroups.otherCode && found[0].count == 8 * 5)
        #expect(found.reduce(0) { $0 + $1.count } == 200)
        let cut = String(repeating: "x", count: 300) + "…"
        for group in found {
            #expect(group.samples.map(\.id.first) == ["0", "1", "2"])
            #expect(group.samples.allSatisfy { $0.message == cut && $0.id.count == 301 })
        }
    }

    @Test func storedFailuresAreNotLimited() throws {
        var groups = FailureGroups(sampleLimit: 0)
        for number in 0..<100 { try groups.add(Self.result(("\(number)", "c\(number)", nil, "")), by: [.code]) }
        #expect(groups.groups.count == 100 && groups.groups.allSatisfy { $0.count == 1 && $0.samples.isEmpty })
    }

    @Test func countsAndSamplesOfReadingsAreAdded() {
        var groups = FailureGroups(sampleLimit: 3)
        groups.add(
            .shown(code: "a", status: nil), count: 5,
            samples: [.init(id: "1", message: ""), .init(id: "2", message: "")])
        groups.add(
            .shown(code: "a", status: nil), count: 4,
            samples: [.init(id: "3", message: ""), .init(id: "4", message: "")])
        var isEvaluated = false
        func samples() -> [FailureGroup.Sample] {
            isEvaluated = true
            return []
        }
        groups.add(.shown(code: "a", status: nil), samples: samples())
        #expect(Self.texts(groups) == ["10 a 1 2 3"] && !isEvaluated)
    }

    @Test func resultThatIsNoLineIsReported() {
        var groups = FailureGroups(sampleLimit: 1)
        let error = #expect(throws: FleetError.self) {
            try groups.add(StoredResult(position: 0, line: Data("[]".utf8), origin: ""), by: [])
        }
        #expect(error?.code == .failed)
    }
}
