// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// One parser and what has to hold of it, whatever it is fed. Scripts/fuzz runs it with libFuzzer, the tests run it
/// with the files of its corpus.
public struct FuzzTarget: Sendable {
    /// The name by which scripts know the target, and the name of its folder of inputs.
    public let name: String
    private let body: @Sendable (FuzzInput) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (FuzzInput) throws -> Void) {
        (self.name, self.body) = (name, body)
    }

    /// Feeds one input to the parser.
    ///
    /// - Throws: `FuzzFinding` when a property does not hold.
    public func run(_ bytes: [UInt8]) throws { try body(FuzzInput(bytes)) }

    /// The target of that name; nil when there is none.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A property that did not hold for an input.
public struct FuzzFinding: Error, CustomStringConvertible {
    /// What did not hold, with the values at hand.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Throws a finding unless the property holds.
func hold(_ isTrue: Bool, _ property: @autoclosure () -> String) throws(FuzzFinding) {
    if !isTrue { throw FuzzFinding(property()) }
}

/// Throws a finding unless both values are the same.
func holdSame<Value: Equatable>(
    _ one: Value, _ other: Value, _ property: @autoclosure () -> String
) throws(FuzzFinding) {
    if one != other { throw FuzzFinding("\(property()): \(one) is not \(other)") }
}
