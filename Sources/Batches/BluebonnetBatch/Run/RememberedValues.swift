// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet
internal import BluebonnetPipelines
internal import Foundation

/// The values of one response for a member of the state file.
package struct RememberedValues: Sendable, Hashable {
    /// The name of the member.
    package let name: String
    /// Which value of the run is chosen.
    package let choice: RequestLine.Memory.Choice
    /// The values, in the order of the response.
    package let values: [JSONValue]

    package init(_ name: String, _ choice: RequestLine.Memory.Choice, _ values: [JSONValue]) {
        (self.name, self.choice, self.values) = (name, choice, values)
    }
}

extension LineFindings.Facts {
    /// Returns the values that a line remembers of its response, sorted by the names of the members.
    func memories(by rules: [String: RequestLine.Memory]) -> [RememberedValues] {
        memories.sorted { $0.key < $1.key }.compactMap { name, values in
            rules[name].map { RememberedValues(name, $0.choice, values) }
        }
    }

    /// The findings that a journal records. The values are a JSON object in text, because numbers must stay exact.
    private struct Recorded: Codable {
        var page: PageCandidate?
        var memories: String?
    }

    /// The part of the findings that a later run needs; nil if there is none.
    var recorded: Data? {
        guard page != nil || !memories.isEmpty else { return nil }
        var object = JSONObject()
        for (name, values) in memories { object[name] = .array(values) }
        let recorded = Recorded(page: page, memories: memories.isEmpty ? nil : JSONValue.object(object).jsonText)
        return try? JSONEncoder().encode(recorded)
    }

    /// Reads recorded findings. Nil if they cannot be read.
    ///
    /// - Parameter values: the extracted values, which the result has.
    init?(recorded data: Data, values: JSONValue?) {
        guard let recorded = try? JSONDecoder().decode(Recorded.self, from: data) else { return nil }
        self.init()
        (page, self.values) = (recorded.page, values)
        guard let text = recorded.memories, let object = try? JSONValue(parsing: Data(text.utf8)).object else { return }
        for (name, values) in object { memories[name] = values.array }
    }
}
