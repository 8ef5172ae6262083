// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// One parser, and the properties that hold for any input. `Scripts/fuzz` runs it with libFuzzer; the tests run it
/// with the files of its corpus.
public struct FuzzTarget: Sendable {
    /// The name of the target in scripts, and of its folder of inputs.
    public let name: String
    private let body: @Sendable (FuzzInput) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (FuzzInput) throws -> Void) {
        (self.name, self.body) = (name, body)
    }

    /// Runs the target with one input.
    ///
    /// - Throws: `FuzzFinding` if a property does not hold.
    public func run(_ bytes: [UInt8]) throws { try body(FuzzInput(bytes)) }

    /// The target of that name; nil if there is none.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A property that does not hold for an input.
public struct FuzzFinding: Error, CustomStringConvertible {
    /// The property that does not hold, with the values involved.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Throws a finding unless the property holds.
func hold(_ isTrue: Bool, _ property: @autoclosure () -> String) throws(FuzzFinding) {
    if !isTrue { throw FuzzFinding(property()) }
}

/// Throws a finding unless both values are equal.
func holdSame<Value: Equatable>(
    _ one: Value, _ other: Value, _ property: @autoclosure () -> String
) throws(FuzzFinding) {
    if one != other { throw FuzzFinding("\(property()): \(one) is not \(other)") }
}
