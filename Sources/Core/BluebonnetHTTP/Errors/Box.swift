// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Stores a large immutable value as an object. Values that are passed on often are boxed: each copy of a large
/// structure retains each of its parts, whereas a part of a boxed value is read without copying the other parts.
package final class Box<Value: Sendable>: Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }

    /// Returns a changed copy.
    package func changed(_ body: (inout Value) -> Void) -> Box {
        var value = value
        body(&value)
        return Box(value)
    }
}

extension Box: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Box: Equatable where Value: Equatable {
    package static func == (a: Box, b: Box) -> Bool { a === b || a.value == b.value }
}
