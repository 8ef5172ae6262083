// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A large value in one word: copies share it until one of them changes it. What is passed on often is kept in one,
/// because each copy of a large structure counts a reference for each of its parts.
struct SharedValue<Value: Sendable>: Sendable {
    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    init(_ value: Value) { storage = Storage(value) }

    var value: Value { storage.value }

    /// Changes a copy, which this holds from then on.
    mutating func change(_ body: (inout Value) -> Void) {
        var value = storage.value
        body(&value)
        storage = Storage(value)
    }
}
