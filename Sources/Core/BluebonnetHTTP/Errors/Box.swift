// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A large value that never changes, as an object. What is passed on often is kept in one: each copy of a large
/// structure counts a reference for each of its parts, and a part of this is read without a copy of the others.
package final class Box<Value: Sendable>: Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }

    /// A changed copy.
    package func changed(_ body: (inout Value) -> Void) -> Box {
        var value = value
        body(&value)
        return Box(value)
    }
}

extension Box: Equatable where Value: Equatable {
    package static func == (a: Box, b: Box) -> Bool { a === b || a.value == b.value }
}
