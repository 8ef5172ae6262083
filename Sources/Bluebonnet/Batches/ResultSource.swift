// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Something whose result an operation can be made from: a `RequestHandle`, an array of sources, or one that says what
/// to use when the result is not there.
///
/// ```swift
/// manager.get("orders", after: login) { request, token in … }                  // skipped when the login failed
/// manager.get("orders", after: login.orElse(guest)) { request, token in … }    // a fallback value
/// manager.get("orders", after: login.asResult) { request, result in … }        // run anyway
/// ```
public protocol ResultSource<Value>: Sendable {
    /// What it gives.
    associatedtype Value: Sendable

    /// The operations that have to end first, and what happens when one of them does not succeed.
    var dependencies: [ResultDependency] { get }

    /// What it gives, once the operations have ended.
    ///
    /// - Throws: why there is nothing to give: the operation that is made from it fails with that error.
    func finalValue() throws -> Value
}

/// An operation that another is made from, and what happens when it does not succeed.
public struct ResultDependency: Sendable {
    /// The operation.
    public var operation: HTTPRequestOperation
    /// What happens to the one that is made from it.
    public var policy: FailedDependencyPolicy

    /// Makes a dependency; by default the dependent is skipped when the operation does not succeed.
    public init(_ operation: HTTPRequestOperation, ifItFails policy: FailedDependencyPolicy = .skip) {
        (self.operation, self.policy) = (operation, policy)
    }

    fileprivate var runningAnyway: ResultDependency { ResultDependency(operation, ifItFails: .runAnyway) }
}

/// Gives another value when the source has none, because an operation failed, was skipped or was cancelled.
public struct FallbackSource<Base: ResultSource>: ResultSource {
    let base: Base
    let fallback: Base.Value

    /// The same operations; none of them keeps the dependent from running.
    public var dependencies: [ResultDependency] { base.dependencies.map(\.runningAnyway) }

    public func finalValue() -> Base.Value { (try? base.finalValue()) ?? fallback }
}

/// Gives the result of a source, be it a value or an error: the dependent runs anyway.
public struct OutcomeSource<Base: ResultSource>: ResultSource {
    let base: Base

    /// The same operations; none of them keeps the dependent from running.
    public var dependencies: [ResultDependency] { base.dependencies.map(\.runningAnyway) }

    public func finalValue() -> Result<Base.Value, any Error> { Result { try base.finalValue() } }
}

/// Gives what a function makes of another source's value.
public struct MappedSource<Base: ResultSource, Value: Sendable>: ResultSource {
    let base: Base
    let transform: @Sendable (Base.Value) throws -> Value

    public var dependencies: [ResultDependency] { base.dependencies }

    public func finalValue() throws -> Value { try transform(try base.finalValue()) }
}

extension ResultSource {
    /// The same with a value to use when there is no result.
    public func orElse(_ fallback: Value) -> FallbackSource<Self> {
        FallbackSource(base: self, fallback: fallback)
    }

    /// The result itself: what is made from it runs anyway and is told of the error.
    public var asResult: OutcomeSource<Self> { OutcomeSource(base: self) }

    /// What a function makes of the value. It runs off the network thread, when the dependent's request is made.
    ///
    /// - Parameter transform: what it throws is the error of the operation that is made from this.
    public func map<New: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> New
    ) -> MappedSource<Self, New> {
        MappedSource(base: self, transform: transform)
    }
}

extension Array: ResultSource where Element: ResultSource {
    /// Those of all elements.
    public var dependencies: [ResultDependency] { flatMap(\.dependencies) }

    /// The values of all elements, in their order.
    public func finalValue() throws -> [Element.Value] { try map { (element: Element) in try element.finalValue() } }
}
