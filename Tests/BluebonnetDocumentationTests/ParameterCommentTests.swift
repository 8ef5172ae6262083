// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// docc warns if a comment documents only some of the parameters. This test finds such comments without docc.
@Suite(.timeLimit(.minutes(1))) struct ParameterCommentTests {
    /// A public declaration: its parameter names, and the names in its comment.
    struct Declaration: Equatable {
        let place: String
        var parameters: [String]
        var documented: [String]
    }

    @Test func commentsDocumentAllParametersOrNone() throws {
        var declarations: [Declaration] = []
        let modules = [
            "Bluebonnet", "BluebonnetBatch", "BluebonnetConfiguration", "BluebonnetFleet", "BluebonnetFleetService",
            "BluebonnetHTTP", "BluebonnetHTTPTypes", "BluebonnetImage", "BluebonnetJournal", "BluebonnetLogging",
            "BluebonnetMetrics", "BluebonnetNetwork", "BluebonnetPipelines", "BluebonnetService", "BluebonnetStreams",
            "BluebonnetTesting", "BluebonnetTracing",
        ]
        for module in modules {
            let folder = try CodeBlock.sources(of: module)
            let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            for path in paths where path.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
                declarations += Self.declarations(in: text, path)
            }
        }
        #expect(declarations.count > 250)
        let documented = declarations.filter { !$0.documented.isEmpty }
        #expect(documented.count > 40)
        for declaration in documented {
            #expect(Set(declaration.documented) == Set(declaration.parameters), "\(declaration.place)")
        }
    }

    @Test func declarationIsParsedWithParameters() {
        let text = """
            public protocol P {
                /// Does.
                ///
                /// - Parameter a: it.
                func one(_ a: Int)
            }
            extension P {
                /// Does more.
                ///
                /// - Parameters:
                ///   - b: it, in
                ///     two lines.
                ///   - c: that.
                @discardableResult
                public static func two<T>(
                    b: [String: (Int, T)] = [:], with c: @escaping (_ x: Int) -> Void
                ) throws -> Int { 0 }
                /// Not public.
                func three(d: Int) {}
            }
            """
        let found = Self.declarations(in: text, "P.swift")
        #expect(found.map(\.parameters) == [["a"], ["b", "c"]])
        #expect(found.map(\.documented) == [["a"], ["b", "c"]])
    }

    // MARK: - Parsing

    private static func declarations(in text: String, _ file: String) -> [Declaration] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var declarations: [Declaration] = []
        var comment: [String] = []
        var isInProtocol = false
        for (index, line) in lines.enumerated() {
            let code = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("public protocol ") { isInProtocol = true }
            if line == "}" { isInProtocol = false }
            if code.hasPrefix("///") {
                comment.append(code)
                continue
            }
            if code.hasPrefix("@") && !code.contains("func ") && !code.contains("init") { continue }
            let isPublic = code.contains("public ") || code.hasPrefix("open ") || isInProtocol
            if isPublic, code.firstMatch(of: /\b(func|init|subscript)\b/) != nil, !comment.isEmpty {
                let parameters = parameters(of: lines[index...].joined(separator: "\n"))
                declarations.append(
                    Declaration(
                        place: "\(file):\(index + 1)", parameters: parameters, documented: documented(in: comment)))
            }
            comment = []
        }
        return declarations
    }

    /// The internal parameter names of a function, from the first parentheses after its name.
    private static func parameters(of text: String) -> [String] {
        var depth = 0
        var (current, parts) = ("", [String]())
        reading: for character in text.drop(while: { $0 != "(" }) {
            switch character {
            case "(", "[", "{", "<":
                depth += 1
                if depth > 1 { current.append(character) }
            case ")", "]", "}":
                depth -= 1
                if depth == 0 { break reading }
                current.append(character)
            case ">" where current.last != "-":
                depth -= 1
                current.append(character)
            case "," where depth == 1:
                parts.append(current)
                current = ""
            default: current.append(character)
            }
        }
        parts.append(current)
        return parts.compactMap { part in
            part.prefix { $0 != ":" }.split { $0.isWhitespace }.last.map(String.init)
        }
    }

    private static func documented(in comment: [String]) -> [String] {
        comment.compactMap { line in
            if let single = line.firstMatch(of: /^\/\/\/ - Parameter (\w+):/) { return String(single.output.1) }
            return line.firstMatch(of: /^\/\/\/   - (\w+):/).map { String($0.output.1) }
        }
    }
}
