// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Bodies as they may be shown: without values whose names say that they are secrets.
enum BodyRedaction {
    /// A form or JSON without secrets; any other body as it is.
    static func shown(_ data: Data, contentType: String?) -> Data {
        let type = (contentType ?? "").lowercased()
        if type.hasPrefix("application/x-www-form-urlencoded"), let text = String(validating: data, as: UTF8.self) {
            return Data(Redaction.pairs(text).utf8)
        }
        guard type.hasPrefix("application/"), type.contains("json"), let value = try? JSONValue(parsing: data) else {
            return data
        }
        let shown = shown(value)
        return shown == value ? data : Data(shown.description.utf8)
    }

    /// Members of objects count at any depth.
    private static func shown(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                members.reduce(into: JSONObject()) { kept, member in
                    let isSecret = Redaction.isSecret(member.key)
                    kept[member.key] = isSecret ? .string(Redaction.placeholder) : shown(member.value)
                })
        case .array(let elements): .array(elements.map { shown($0) })
        case .null, .bool, .integer, .number, .string: value
        }
    }
}
