// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// More members of a batch, made from the result of one of its operations. See `RequestHandle.each(_:)`.
public struct BatchExpansion: Sendable {
    let operation: HTTPRequestOperation
    private let make: @Sendable () throws -> [any BatchMember]

    /// - Parameters:
    ///   - operation: the operation whose result is needed.
    ///   - make: makes the members, when the operation has succeeded and its handlers have run; on its
    ///     `completionQueue`. If the closure throws, the batch gets one more member, which fails with the error.
    init(_ operation: HTTPRequestOperation, make: @escaping @Sendable () throws -> [any BatchMember]) {
        (self.operation, self.make) = (operation, make)
    }

    /// Makes the members. If that fails, the only member is an operation with the error.
    func members(failing makeFailure: (NetworkingError) -> HTTPRequestOperation) -> [any BatchMember] {
        do {
            return try make()
        } catch {
            let reason = "no requests could be made from the result of \"\(operation.graphName)\": \(error)"
            let failure = NetworkingError(.invalidRequest, reason, request: operation.request, underlying: error)
            return [makeFailure(failure)]
        }
    }
}

/// A handle with the members that a batch makes from its value.
///
/// ```swift
/// let users = manager.call("users").handle(as: [User].self)
/// let details = users.each { user in manager.call("users/\(user.id)").operation() }
/// let outcome = await manager.run(Batch(of: [details]))
/// ```
public struct ExpandedHandle<Value: Sendable>: BatchMember {
    /// The handle whose value is needed.
    public let handle: RequestHandle<Value>
    let make: @Sendable (Value) throws -> [any BatchMember]

    public var operations: [HTTPRequestOperation] { handle.operations }

    public var expansion: BatchExpansion? {
        BatchExpansion(handle.operation) { [handle, make] in try make(try handle.finalValue()) }
    }
}

extension RequestHandle {
    /// Returns a member of a batch that makes more members from the value, when the operation has succeeded.
    ///
    /// The new members belong to the same batch: its failure policy, its progress, its cancellation and its one
    /// completion include them. A member can itself be expanded, so that calls form a tree. If the operation does not
    /// succeed, nothing is made. Members that are made after the batch has been stopped are dropped.
    ///
    /// - Parameter make: called once on the operation's `completionQueue`. If the closure throws, the batch gets one
    ///   more member, which fails with `invalidRequest` and the error as `underlying`.
    public func expanded(
        _ make: @escaping @Sendable (Value) throws -> [any BatchMember]
    ) -> ExpandedHandle<Value> {
        ExpandedHandle(handle: self, make: make)
    }
}

extension RequestHandle where Value: Sequence {
    /// Returns a member of a batch that makes one more member from each element of the value; see `expanded(_:)`.
    public func each(
        _ make: @escaping @Sendable (Value.Element) throws -> any BatchMember
    ) -> ExpandedHandle<Value> {
        expanded { value in try value.map { try make($0) } }
    }
}

/// The operations, inner batches and expansions of members. A value without their state.
struct BatchMembers: Sendable {
    private(set) var operations: [HTTPRequestOperation] = []
    private(set) var batches: [Batch] = []
    /// By the index of their operation.
    private(set) var expansions: [Int: [BatchExpansion]] = [:]

    init(_ operations: [HTTPRequestOperation], _ batches: [Batch] = []) {
        (self.operations, self.batches) = (operations, batches)
    }

    init(_ members: [any BatchMember]) {
        for member in members {
            let first = operations.count
            operations += member.operations
            if let batch = member as? Batch { batches.append(batch) }
            guard let expansion = member.expansion else { continue }
            let index = operations[first...].firstIndex { $0 === expansion.operation }
            if index == nil { operations.append(expansion.operation) }
            expansions[index ?? operations.count - 1, default: []].append(expansion)
        }
    }

    var isEmpty: Bool { operations.isEmpty && batches.isEmpty }
}
