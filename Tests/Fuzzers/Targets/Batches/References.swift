// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import Foundation

extension FuzzTarget {
    /// A text with references, followed by the JSON body that they refer to.
    static let references = FuzzTarget("references") { input in
        var input = input
        let text = input.text()
        guard let template = try? ReferenceTemplate(parsing: text) else { return }
        let written = template.parts.map { part in
            switch part {
            case .literal(let text): text.replacingOccurrences(of: "${", with: "$${", options: .literal)
            case .reference(let reference): reference.description
            case .environmentVariable(let name): "${env:\(name)}"
            case .variable(let name, let path):
                "${"
                    + ([name] + path.map { $0.replacingOccurrences(of: ".", with: "\\.", options: .literal) })
                    .joined(separator: ".") + "}"
            }
        }
        try checkAgain(written.joined(), template)
        for (part, next) in zip(template.parts, template.parts.dropFirst()) {
            if case .literal = part, case .literal = next { throw FuzzFinding("two literals are neighbours: \(text)") }
        }
        try checkResolved(template, body: Data(input.rest))
    }

    private static func checkAgain(_ text: String, _ template: ReferenceTemplate) throws(FuzzFinding) {
        // A dollar sign before a reference would escape it.
        let hasDollarBefore = zip(template.parts, template.parts.dropFirst()).contains { part, next in
            guard case .literal(let text) = part, text.utf8.last == UInt8(ascii: "$") else { return false }
            if case .literal = next { return false }
            return true
        }
        let hasDollars = template.parts.contains { part in
            if case .literal(let text) = part { text.contains("$${") } else { false }
        }
        guard !hasDollarBefore, !hasDollars else { return }
        try holdSame(try? ReferenceTemplate(parsing: text), template, "\(text) is read again")
    }

    private static func checkResolved(_ template: ReferenceTemplate, body: Data) throws {
        let source = ReferenceSource(status: 200, headers: ["Content-Type": "a/b", "X": "1"], body: body)
        let environment = Dictionary(
            template.parts.compactMap { part in
                if case .environmentVariable(let name) = part { (name, "${a.status}") } else { nil }
            }
        ) { first, _ in first }
        guard let resolved = try? template.resolved(environment: environment, using: { _ in source }) else { return }
        let literals = template.parts.compactMap { if case .literal(let text) = $0 { text } else { nil } }
        try hold(
            resolved.utf8.count >= literals.reduce(0) { $0 + $1.utf8.count }, "\(resolved) has the literal text in it")
        if template.parts.count == literals.count {
            try hold(FieldSyntax.isSameText(resolved, literals.joined()), "\(resolved) is the literal text")
        }
    }
}
