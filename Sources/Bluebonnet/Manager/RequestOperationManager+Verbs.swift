// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

// The verbs: each makes a request, an operation for it, adds it to `operationQueue`, and gives it back. A request that
// cannot be made is an operation that fails with the reason, without touching the network.
extension RequestOperationManager {
    /// Called with the operation and its serialized response.
    public typealias Success = @Sendable (_ operation: HTTPRequestOperation, _ responseObject: any Sendable) -> Void
    /// Called with the operation and why it failed.
    public typealias Failure = @Sendable (_ operation: HTTPRequestOperation, _ error: NetworkingError) -> Void

    /// Runs a GET; parameters go into the query.
    @discardableResult
    public func get(
        _ url: String, parameters: Parameters? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        run("GET", url, parameters, success, failure)
    }

    /// Runs a HEAD; parameters go into the query. The response object is the serializer's value for an empty body.
    @discardableResult
    public func head(
        _ url: String, parameters: Parameters? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        run("HEAD", url, parameters, success, failure)
    }

    /// Runs a POST; parameters go into the body.
    @discardableResult
    public func post(
        _ url: String, parameters: Parameters? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        run("POST", url, parameters, success, failure)
    }

    /// Runs a PUT; parameters go into the body.
    @discardableResult
    public func put(
        _ url: String, parameters: Parameters? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        run("PUT", url, parameters, success, failure)
    }

    /// Runs a PATCH; parameters go into the body.
    @discardableResult
    public func patch(
        _ url: String, parameters: Parameters? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        run("PATCH", url, parameters, success, failure)
    }

    /// Runs a DELETE; parameters go into the query.
    @discardableResult
    public func delete(
        _ url: String, parameters: Parameters? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        run("DELETE", url, parameters, success, failure)
    }

    private func run(
        _ method: String, _ url: String, _ parameters: Parameters?, _ success: Success?, _ failure: Failure?
    ) -> HTTPRequestOperation {
        let source: RequestSource
        do throws(NetworkingError) {
            source = .ready(try request(method, url, parameters: parameters))
        } catch {
            source = .made { throw error }
        }
        let operation = operation(source: source, responseSerializer: nil)
        if success != nil || failure != nil { operation.setCompletionBlock(success: success, failure: failure) }
        operationQueue.addOperation(operation)
        return operation
    }
}
