// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The requests that were sent are not those that a test expected. Its description shows them line by line: `-` is a
/// request that was expected and is missing, `+` one that was sent and not expected; below a pair of them stands what
/// differs. It begins with the place of the call, because test frameworks report a thrown error at the test.
///
///     ShopTests/OrderTests.swift:42: the requests that were sent are not those expected (- missing, + not expected):
///       GET /users/1
///     - POST /orders {"article":7}
///     + POST /orders {"article":8}
///         body: expected {"article":7}, sent {"article":8}
public struct SentRequestsDifference: Error, Sendable, CustomStringConvertible {
    /// The lines for people.
    public let description: String

    /// Nil when nothing differs.
    ///
    /// - Parameter place: where the requests were compared.
    init?(_ lines: [RequestComparison.Line], at place: String) {
        guard lines.contains(where: \.differs) else { return nil }
        let texts = lines.flatMap(\.texts).map { "  " + $0 }
        description =
            (["\(place): the requests that were sent are not those expected (- missing, + not expected):"] + texts)
            .joined(separator: "\n")
    }
}

/// The comparison of expected requests with those that were sent: a value.
struct RequestComparison {
    enum Line {
        case same(SentRequest)
        case missing(ExpectedRequest)
        case surplus(SentRequest)
        /// One stands for the other, and differs.
        case changed(ExpectedRequest, SentRequest)

        var differs: Bool {
            if case .same = self { false } else { true }
        }

        var texts: [String] {
            switch self {
            case .same(let request): ["  \(request)"]
            case .missing(let request): ["- \(request)"]
            case .surplus(let request): ["+ \(request)"]
            case .changed(let expected, let request):
                ["- \(expected)", "+ \(request)"] + expected.faults(of: request).map { "    " + $0 }
            }
        }
    }

    private let expected: [ExpectedRequest]
    private let sent: [SentRequest]

    init(_ expected: [ExpectedRequest], _ sent: [SentRequest]) {
        (self.expected, self.sent) = (expected, sent)
    }

    private func isMatch(_ wanted: Int, _ request: Int) -> Bool {
        expected[wanted].faults(of: sent[request]).isEmpty
    }

    // MARK: In order

    /// The lines that keep as many requests as possible in their order.
    var ordered: [Line] {
        let lengths = commonLengths
        var (wanted, request) = (0, 0)
        var gap: (missing: [ExpectedRequest], surplus: [SentRequest]) = ([], [])
        var lines: [Line] = []
        while wanted < expected.count || request < sent.count {
            if wanted < expected.count, request < sent.count, isMatch(wanted, request) {
                lines += Self.lines(of: gap) + [.same(sent[request])]
                gap = ([], [])
                (wanted, request) = (wanted + 1, request + 1)
            } else if request == sent.count
                || wanted < expected.count && lengths[wanted + 1][request] >= lengths[wanted][request + 1]
            {
                gap.missing.append(expected[wanted])
                wanted += 1
            } else {
                gap.surplus.append(sent[request])
                request += 1
            }
        }
        return lines + Self.lines(of: gap)
    }

    /// The most requests that the rests of both lists have in common, by where the rests begin.
    private var commonLengths: [[Int]] {
        var lengths = Array(repeating: Array(repeating: 0, count: sent.count + 1), count: expected.count + 1)
        for wanted in expected.indices.reversed() {
            for request in sent.indices.reversed() {
                lengths[wanted][request] =
                    isMatch(wanted, request)
                    ? lengths[wanted + 1][request + 1] + 1
                    : max(lengths[wanted + 1][request], lengths[wanted][request + 1])
            }
        }
        return lengths
    }

    private static func lines(of gap: (missing: [ExpectedRequest], surplus: [SentRequest])) -> [Line] {
        let changed = zip(gap.missing, gap.surplus).map { Line.changed($0, $1) }
        return changed + gap.missing.dropFirst(changed.count).map { Line.missing($0) }
            + gap.surplus.dropFirst(changed.count).map { Line.surplus($0) }
    }

    // MARK: In any order

    /// The lines when the order does not count: as many requests as possible are those expected.
    var unordered: [Line] {
        var owners: [Int?] = Array(repeating: nil, count: sent.count)
        for wanted in expected.indices {
            var visited: Set<Int> = []
            _ = assign(wanted, &owners, &visited)
        }
        let taken = Set(owners.compactMap(\.self))
        let missing = expected.indices.filter { !taken.contains($0) }.map { expected[$0] }
        let same = sent.indices.filter { owners[$0] != nil }.map { Line.same(sent[$0]) }
        return same + Self.lines(of: (missing, sent.indices.filter { owners[$0] == nil }.map { sent[$0] }))
    }

    /// Finds a request for an expected one, where necessary by giving another expected one another request.
    private func assign(_ wanted: Int, _ owners: inout [Int?], _ visited: inout Set<Int>) -> Bool {
        for request in sent.indices where isMatch(wanted, request) && visited.insert(request).inserted {
            if let owner = owners[request], !assign(owner, &owners, &visited) { continue }
            owners[request] = wanted
            return true
        }
        return false
    }
}
