// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if DEBUG || BLUEBONNET_FUZZING
    import Bluebonnet
    import Foundation

    @testable import BluebonnetBatch

    extension FuzzTarget {
        /// The request lines of a file, from their text to the plan of their requests.
        static let requestLines = FuzzTarget("request-lines") { input in
            let parser = RequestLineParser()
            var (alone, hasFault) = ([NumberedLine](), false)
            for (index, text) in input.lines.enumerated() {
                do throws(RequestLineError) {
                    guard let line = try parser.parse(line: Data(text), number: index + 1) else { continue }
                    alone.append(line)
                } catch {
                    hasFault = true
                    try holdSame(error.line, index + 1, "an error names its line")
                    try hold(error.description.utf8.count < 100 * text.count + 1_000, "an error is bounded")
                }
            }
            let file = try? parser.parse(file: Data(input.rest))
            try holdSame(file, hasFault ? nil : alone, "a file is its lines")
            for line in alone { try checkWritten(line.line) }
            if let graph = try? RequestLineGraph(alone) { try check(graph, alone) }
        }

        private static func checkWritten(_ line: RequestLine) throws {
            let text = line.canonicalText
            let again = try RequestLineParser().parse(line: Data(text.utf8), number: 1)?.line
            try holdSame(again, line, "a line stays when it is written as \(text)")
            if canBeCoded(try JSONValue(parsing: Data(text.utf8))) {
                let coded = try JSONDecoder().decode(RequestLine.self, from: JSONEncoder().encode(line))
                try holdSame(coded, line, "a line stays when it is coded")
            }
            guard !line.readsFiles, (try? line.referencedIDs().isEmpty) == true else { return }
            let resolved = try? line.resolved { _ in nil }
            try hold(
                resolved == nil || resolved?.url.isEmpty == line.url.isEmpty, "a line without references is itself")
        }

        /// Whether Foundation's coders preserve the value. The coders lose digits that `Double` lacks, and keep only
        /// one of two canonically equivalent names.
        private static func canBeCoded(_ value: JSONValue) -> Bool {
            switch value {
            case .number(let number): JSONNumber(number.double) == number
            case .array(let elements): elements.allSatisfy(canBeCoded)
            case .object(let members):
                Set(members.map(\.key)).count == members.count && members.allSatisfy { canBeCoded($0.value) }
            case .null, .bool, .integer, .string: true
            }
        }

        /// Dependencies come first, and the plan has each line once.
        private static func check(_ graph: RequestLineGraph, _ lines: [NumberedLine]) throws(FuzzFinding) {
            let nodes = graph.nodesInDependencyOrder
            try holdSame(Set(nodes.map(\.line.number)), Set(lines.map(\.number)), "the graph has each line")
            var seen: Set<ByteString> = []
            for node in nodes {
                try hold(
                    seen.isSuperset(of: node.dependencies.map(ByteString.init)),
                    "what \(node.line.id) waits for comes before it")
                try hold(seen.insert(ByteString(node.line.id)).inserted, "the id \(node.line.id) is there once")
            }
            guard !lines.contains(where: \.line.readsFiles) else { return }
            let plan = RequestLinePlan(nodes)
            try holdSame(plan.waves.joined().count, nodes.count, "the plan has each line")
            try hold(!plan.description.isEmpty, "a plan can be shown")
        }
    }
#endif
