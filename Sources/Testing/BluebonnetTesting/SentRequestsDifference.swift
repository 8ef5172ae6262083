// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The requests that were sent differ from the expected ones. The description shows them line by line: `-` is an
/// expected request that is missing, `+` a request that was sent and not expected; a pair of them is followed by its
/// differences. The description begins with the place of the call, because test frameworks report a thrown error at
/// the test.
///
///     ShopTests/OrderTests.swift:42: the requests that were sent are not those expected (- missing, + not expected):
///       GET /users/1
///     - POST /orders {"article":7}
///     + POST /orders {"article":8}
///         body: expected {"article":7}, sent {"article":8}
public struct SentRequestsDifference: Error, Sendable, CustomStringConvertible {
    /// The lines for people.
    public let description: String

    /// Returns nil without differences.
    ///
    /// - Parameter place: the place of the comparison.
    init?(_ lines: [RequestComparison.Line], at place: String) {
        guard lines.contains(where: \.differs) else { return nil }
        let texts = lines.flatMap(\.texts).map { "  " + $0 }
        description =
            (["\(place): the sent requests differ from the expected ones (- missing, + not expected):"] + texts)
            .joined(separator: "\n")
    }
}

/// The comparison of expected requests with the requests that were sent. A value.
struct RequestComparison {
    enum Line {
        case same(SentRequest)
        case missing(ExpectedRequest)
        case surplus(SentRequest)
        /// An expected request is paired with a different request that was sent.
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

    /// The lines of a comparison in order, with the maximum number of matching requests.
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

    /// The lengths of the longest common subsequences of the remainders of both lists, by the indices at which they
    /// begin.
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

    /// The lines of a comparison regardless of order, with the maximum number of matching requests.
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

    /// Assigns a request to an expected one. If necessary, reassigns other expected requests (augmenting path).
    private func assign(_ wanted: Int, _ owners: inout [Int?], _ visited: inout Set<Int>) -> Bool {
        for request in sent.indices where isMatch(wanted, request) && visited.insert(request).inserted {
            if let owner = owners[request], !assign(owner, &owners, &visited) { continue }
            owners[request] = wanted
            return true
        }
        return false
    }
}
