// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A source of values from which operations are made: a `RequestHandle`, several handles, or a source with a fallback.
///
/// ```swift
/// manager.call("orders").after(login) { request, token in  // skipped when the login failed
///     request.setValue(token, forHTTPHeaderField: "X-Token")
/// }.start(returning: serializer)
/// manager.call("orders").after(login.orElse(guest)) { request, token in  // a fallback value
///     request.setValue(token, forHTTPHeaderField: "X-Token")
/// }.start(returning: serializer)
/// manager.call("orders").after(login.asResult) { request, result in  // run anyway
///     request.setValue(try? result.get(), forHTTPHeaderField: "X-Token")
/// }.start(returning: serializer)
/// manager.call("page").after(profile, parts.all) { request, profile, parts in  // an array
///     request.setValue("\(parts.count)", forHTTPHeaderField: "X-Part-Count")
/// }.start(returning: serializer)
/// ```
public protocol ResultSource<Value>: Sendable {
    /// The type of the source's value.
    associatedtype Value: Sendable

    /// The operations that have to end before the value exists, and what happens to the dependent if one of them does
    /// not succeed.
    var dependencies: [ResultDependency] { get }

    /// Returns the source's value. Call this method when the operations of `dependencies` have ended.
    ///
    /// - Throws: the reason why there is no value; the operation made from this source fails with that error.
    func finalValue() throws -> Value
}

/// An operation on whose result another operation depends, and the policy for the dependent if the operation does not
/// succeed.
public struct ResultDependency: Sendable {
    /// The operation.
    public var operation: HTTPRequestOperation
    /// The policy for the dependent if the operation does not succeed.
    public var policy: FailedDependencyPolicy

    /// Creates a dependency. By default, the dependent is skipped if the operation does not succeed.
    public init(_ operation: HTTPRequestOperation, ifItFails policy: FailedDependencyPolicy = .skip) {
        (self.operation, self.policy) = (operation, policy)
    }

    fileprivate var runningAnyway: ResultDependency { ResultDependency(operation, ifItFails: .runAnyway) }
}

/// A source with a fallback value, for an operation that failed, was skipped or was cancelled.
public struct FallbackSource<Base: ResultSource>: ResultSource {
    let base: Base
    let fallback: Base.Value

    /// The dependencies of the base, with the policy `runAnyway`.
    public var dependencies: [ResultDependency] { base.dependencies.map(\.runningAnyway) }

    public func finalValue() -> Base.Value { (try? base.finalValue()) ?? fallback }
}

/// A source whose value is another source's `Result`. The dependent runs in any case.
public struct OutcomeSource<Base: ResultSource>: ResultSource {
    let base: Base

    /// The dependencies of the base, with the policy `runAnyway`.
    public var dependencies: [ResultDependency] { base.dependencies.map(\.runningAnyway) }

    public func finalValue() -> Result<Base.Value, any Error> { Result { try base.finalValue() } }
}

/// A source that transforms another source's value.
public struct MappedSource<Base: ResultSource, Value: Sendable>: ResultSource {
    let base: Base
    let transform: @Sendable (Base.Value) throws -> Value

    public var dependencies: [ResultDependency] { base.dependencies }

    public func finalValue() throws -> Value { try transform(try base.finalValue()) }
}

extension ResultSource {
    /// Returns a source with the value `fallback` if this source has no value. The dependent runs in any case.
    public func orElse(_ fallback: Value) -> FallbackSource<Self> {
        FallbackSource(base: self, fallback: fallback)
    }

    /// A source of the `Result` of this source. The dependent runs in any case and gets the error, if there is one.
    public var asResult: OutcomeSource<Self> { OutcomeSource(base: self) }

    /// Returns a source that transforms this source's value. `transform` runs off the network thread, when the
    /// dependent's request is made.
    ///
    /// - Parameter transform: if it throws, the error becomes the dependent's error.
    public func map<New: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> New
    ) -> MappedSource<Self, New> {
        MappedSource(base: self, transform: transform)
    }
}

/// A source whose value is the array of the values of several sources of one type.
public struct AllSources<Base: ResultSource>: ResultSource {
    let sources: [Base]

    /// The dependencies of all sources.
    public var dependencies: [ResultDependency] { sources.flatMap(\.dependencies) }

    public func finalValue() throws -> [Base.Value] { try sources.map { try $0.finalValue() } }
}

extension Sequence where Element: ResultSource {
    /// One source for the values of all elements, in their order:
    /// `manager.call("page").after(parts.all) { … }.start()`.
    public var all: AllSources<Element> { AllSources(sources: Array(self)) }
}
