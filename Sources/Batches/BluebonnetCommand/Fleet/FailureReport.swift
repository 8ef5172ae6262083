// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetFleet
import Foundation

/// Groups of failures: lines for people, or a JSON object for programs.
struct FailureReport {
    let groups: [FailureGroup]
    /// The fields of the groups, in the order in which the command names them.
    let fields: [FailureGroup.Field]

    /// A line for each group with its count, and an indented one for each sample.
    var text: String {
        guard !groups.isEmpty else { return "no failures\n" }
        let width = groups.map { "\($0.count)".count }.max() ?? 0
        return groups.map { group in
            let count = "\(group.count)"
            let padding = String(repeating: " ", count: width - count.count)
            let values = fields.map { value(of: $0, in: group) ?? "-" }.joined(separator: "  ")
            let samples = group.samples.map { sample in
                "    \(TerminalText.clean(sample.id)): \(TerminalText.clean(sample.message))\n"
            }
            return "\(padding)\(count)  \(TerminalText.clean(values))\n" + samples.joined()
        }.joined()
    }

    private func value(of field: FailureGroup.Field, in group: FailureGroup) -> String? {
        switch field {
        case .code: group.code
        case .status: group.status.map { "\($0)" }
        case .origin: group.origin
        }
    }

    /// A JSON object with the member `groups`, and a line end.
    var json: String {
        let list = groups.map { group in
            var members: JSONObject = [
                "count": .integer(Int64(group.count)),
                "samples": .array(
                    group.samples.map { .object(["id": .string($0.id), "message": .string($0.message)]) }),
            ]
            for field in fields {
                members[field.rawValue] =
                    switch field {
                    case .code: group.code.map { .string($0) } ?? .null
                    case .status: group.status.map { .integer(Int64($0)) } ?? .null
                    case .origin: group.origin.map { .string($0) } ?? .null
                    }
            }
            return JSONValue.object(members)
        }
        return JSONText.text(of: .object(["groups": .array(list)])) + "\n"
    }
}
