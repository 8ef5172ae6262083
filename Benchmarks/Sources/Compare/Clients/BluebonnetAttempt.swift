// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Comparison
import Foundation
import FoundationNetworking

/// Bluebonnet, with one manager and an operation for each request.
final class BluebonnetAttempt: AttemptClient {
    private let manager: RequestOperationManager

    init(_ plan: Plan) throws {
        var configuration = RequestOperationManager.Configuration()
        configuration.maximumConcurrentTransferCountPerOrigin = 64
        configuration.timeouts = Timeouts(
            connect: .seconds(plan.limits.connect), idle: .seconds(plan.limits.idle), total: .seconds(plan.limits.total)
        )
        if let file = plan.authorityFile {
            configuration.transferOptions.securityPolicy = try SecurityPolicy(authorities: .file(file))
        }
        configuration.responseSerializer = HTTPResponseSerializer(
            validation: ResponseValidation(acceptableStatusCodes: nil))
        manager = RequestOperationManager(configuration: configuration)
    }

    func send(_ request: Plan.Request, _ index: Int) async -> Outcome {
        do {
            let operation = try operation(request)
            if let delay = request.cancelsAfter {
                Task {
                    try? await Task.sleep(for: .milliseconds(delay))
                    operation.cancel()
                }
            }
            return try await outcome(operation, request, index)
        } catch {
            return .failure(index, "\(error)")
        }
    }

    func shutDown() async { manager.operationQueue.cancelAllOperations() }

    private func outcome(
        _ operation: HTTPRequestOperation, _ request: Plan.Request, _ index: Int
    ) async throws -> Outcome {
        let body = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data?, any Error>) in
            operation.setCompletionBlock { _, object in
                continuation.resume(returning: object as? Data)
            } failure: { _, error in
                continuation.resume(throwing: error)
            }
            manager.operationQueue.addOperation(operation)
        }
        if !request.downloads { try (body ?? Data()).write(to: request.output) }
        return .success(index, status: operation.statusCode ?? 0)
    }

    private func operation(_ request: Plan.Request) throws -> HTTPRequestOperation {
        guard let url = URL(string: request.url) else { throw URLError(.badURL) }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method
        for field in request.fields { urlRequest.addValue(field.value, forHTTPHeaderField: field.name) }
        urlRequest.httpBody = try request.sentData
        let operation = manager.operation(with: urlRequest)
        operation.uploadFile = request.sentFile
        if request.downloads { operation.outputFile = request.output }
        operation.credential = request.credential.map {
            URLCredential(user: $0.user, password: $0.password, persistence: .none)
        }
        if let limit = request.bodyLimit { operation.options.maximumBodyByteCount = limit }
        if let pin = request.pin {
            var policy = operation.securityPolicy
            policy.pinningMode = .publicKey
            policy.pins = try PinSet(keys: ["sha256/\(pin)"])
            operation.securityPolicy = policy
        }
        return operation
    }
}
