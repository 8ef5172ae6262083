// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// The members that `remember` sets in the state file: folds the values of all responses of a run. A value type without
/// a file.
struct StateChanges: Sendable {
    fileprivate struct Member {
        let choice: RequestLine.Memory.Choice
        var value: JSONValue?
        /// Why no value can be chosen.
        var problem: String?
    }

    private var members: [ByteString: Member] = [:]

    /// Whether no response had a value.
    var isEmpty: Bool { !members.values.contains { $0.value != nil || $0.problem != nil } }

    /// Adds the values of a response.
    mutating func add(_ memories: [RememberedValues]) {
        for memory in memories {
            let key = ByteString(memory.name)
            var member = members[key] ?? Member(choice: memory.choice)
            if member.choice != memory.choice {
                let choices = [member.choice, memory.choice].map { "\"\($0.rawValue)\"" }.sorted()
                member.problem = "lines remember it by \(choices[0]) and by \(choices[1])"
            }
            for value in memory.values { member.add(value) }
            members[key] = member
        }
    }

    /// Returns a state with the members set. A member without a value stays.
    ///
    /// - Throws: the first member, by name, for which no value can be chosen.
    func applied(to state: JSONObject) throws(CommandError) -> JSONObject {
        var state = state
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            if let problem = member.problem {
                throw .unusable("cannot remember \(JSONText.quoted(name.string)): \(problem)")
            }
            if let value = member.value { state[name.string] = value }
        }
        return state
    }
}

extension StateChanges.Member {
    /// Chooses between the value so far and the next one. Null has no place in an order, and is skipped by `max` and
    /// `min`.
    fileprivate mutating func add(_ next: JSONValue) {
        if choice == .last {
            value = next
            return
        }
        guard next != .null, problem == nil else { return }
        guard let kind = Self.orderedKind(of: next) else {
            problem = "\"\(choice.rawValue)\" needs numbers or texts, found \(next.kind)"
            return
        }
        guard let current = value else {
            value = next
            return
        }
        guard Self.orderedKind(of: current) == kind else {
            problem = "\"\(choice.rawValue)\" cannot compare numbers with texts"
            return
        }
        let isBetter = choice == .max ? Self.precedes(current, next) : Self.precedes(next, current)
        if isBetter { value = next }
    }

    private enum OrderedKind { case number, text }

    private static func orderedKind(of value: JSONValue) -> OrderedKind? {
        switch value {
        case .integer: .number
        case .number(let number): number.isFinite ? .number : nil
        case .string: .text
        case .null, .bool, .array, .object: nil
        }
    }

    /// Compares numbers by their exact values, and texts by their Unicode scalars, which UTF-8 bytes keep in order.
    private static func precedes(_ first: JSONValue, _ second: JSONValue) -> Bool {
        if let first = first.string, let second = second.string {
            return first.utf8.lexicographicallyPrecedes(second.utf8)
        }
        guard let first = first.exactNumber, let second = second.exactNumber else { return false }
        return first < second
    }
}
