// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// A value whose strings can be replaced one by one, in a fixed order.
protocol StringReplacing {
    /// Replaces each string by the result of `transform`, which receives the string and its path. Member names are
    /// kept.
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure)
}

extension String: StringReplacing {
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        self = try transform(self, path)
    }
}

extension Optional: StringReplacing where Wrapped: StringReplacing {
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        guard var value = self else { return }
        try value.replaceStrings(at: path, transform)
        self = value
    }
}

extension Array: StringReplacing where Element: StringReplacing {
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        for index in indices {
            try self[index].replaceStrings(at: path.element(index), transform)
        }
    }
}

extension Dictionary: StringReplacing where Key == String, Value: StringReplacing {
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        for name in keys.sorted() {
            try self[name].replaceStrings(at: path.member(name), transform)
        }
    }
}

extension JSONObject: StringReplacing {
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        for name in names { try self[name].replaceStrings(at: path.member(name), transform) }
    }
}

extension HeaderFields: StringReplacing {
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        var replaced = HeaderFields()
        for field in self {
            replaced.add(name: field.name, value: try transform(field.value, path.member(field.name)))
        }
        self = replaced
    }
}

extension JSONValue: StringReplacing {
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        switch self {
        case .null, .bool, .integer, .number: break
        case .string(let text): self = .string(try transform(text, path))
        case .array(var elements):
            try elements.replaceStrings(at: path, transform)
            self = .array(elements)
        case .object(var members):
            try members.replaceStrings(at: path, transform)
            self = .object(members)
        }
    }
}
