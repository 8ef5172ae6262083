// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import FoundationNetworking

/// Changes each request before it is checked and sent: a signature, a tracing field, a date.
///
/// ```swift
/// manager.requestAdapters = [
///     .block { $0.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID") },
///     .block { request, body in
///         request.setValue(try await body.sha256(), forHTTPHeaderField: "X-Content-SHA256")
///     },
/// ]
/// ```
///
/// The adapters of an operation run in order, in a Swift task, before each of its transfers: the first one, each retry,
/// the request that answers a challenge, the continuation after a pause, and a redirect within the origin. Each time,
/// the adapters receive the request with its default fields and without their earlier changes. The authenticator's
/// credential, the cookies of a jar, `Host` and `Content-Length` are added after the adapters. No adapter runs for a
/// redirect to another origin and for later hops, and these requests lack the adapters' changes.
///
/// The adapted request is checked like a request of the program. Adapters may change the method, the URL (also to
/// another origin), the fields, and a body in memory; a body from a stream or a file cannot be changed. An operation
/// with adapters does not use the response cache: the lookup comes before the adapters, so the cached response could
/// belong to another request.
///
/// The operation keeps its slot while adapters run, so that a date or a signature is fresh when the request is sent. An
/// adapter must not wait for operations of the same manager, or of a manager with the same governor: they may need that
/// slot. To get a credential over the network, use an `Authenticator`.
public protocol RequestAdapter: Sendable {
    /// Changes a request. The task is cancelled if the operation is cancelled or paused.
    ///
    /// - Parameters:
    ///   - request: the request. Its `httpBody` is a body in memory; it is nil for a stream and for a file.
    ///   - body: the source of the body, and its digest.
    /// - Throws: any error; it ends the operation, without a retry. A `NetworkingError` is the operation's error; any
    ///   other error becomes the `underlying` error of `invalidRequest`.
    func adapt(_ request: inout URLRequest, body: OutgoingBody) async throws
}

/// A request adapter that calls a block.
public struct BlockRequestAdapter: RequestAdapter {
    private let block: @Sendable (inout URLRequest, OutgoingBody) async throws -> Void

    /// Makes an adapter from a block, which is called on a Swift task.
    public init(_ block: @escaping @Sendable (_ request: inout URLRequest, _ body: OutgoingBody) async throws -> Void) {
        self.block = block
    }

    public func adapt(_ request: inout URLRequest, body: OutgoingBody) async throws { try await block(&request, body) }
}

extension RequestAdapter where Self == BlockRequestAdapter {
    /// Returns an adapter that calls a block.
    public static func block(_ block: @escaping @Sendable (_ request: inout URLRequest) async throws -> Void) -> Self {
        BlockRequestAdapter { request, _ in try await block(&request) }
    }

    /// Returns an adapter that calls a block with the request and its body, for signatures.
    public static func block(
        _ block: @escaping @Sendable (_ request: inout URLRequest, _ body: OutgoingBody) async throws -> Void
    ) -> Self {
        BlockRequestAdapter(block)
    }
}
