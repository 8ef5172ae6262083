// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
@_spi(Benchmarks) import BluebonnetTesting
import Dispatch
import Foundation
import FoundationNetworking
import LoadClients

/// Measures the cost of a token in requests that never leave the process: a valid token, and a token that all requests
/// wait for.
struct TokenCost {
    let count: Int
    let rounds: Int

    private enum Form: String, CaseIterable {
        case without = "without an authenticator"
        case valid = "with a token that is valid"
        case refreshed = "behind one refresh"
    }

    /// An authenticator whose refresh ends on a signal.
    private struct Late: Authenticator {
        let mayEnd = DispatchSemaphore(value: 0)

        func apply(_ token: String, to request: inout URLRequest) {
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }

        func refresh(_ token: String?) async throws -> String {
            await withCheckedContinuation { waiter in
                DispatchQueue.global().async {
                    mayEnd.wait()
                    waiter.resume()
                }
            }
            return "new"
        }
    }

    func measure() {
        guard let url = URL(string: "http://127.0.0.1/") else { return }
        var times: [Form: [Double]] = [:]
        for round in 0...rounds {
            for form in Form.allCases.shuffled() {
                let time = time(of: form, url)
                if round > 0 { times[form, default: []].append(time) }  // the first round is the warm-up
            }
        }
        for form in Form.allCases {
            let sorted = (times[form] ?? []).sorted()
            guard let least = sorted.first else { continue }
            print(
                String(
                    format: "%d operations %@: %.3f µs each at least, median %.3f µs", count, form.rawValue, least,
                    sorted[sorted.count / 2]))
        }
    }

    /// Returns the processor time per operation, in microseconds.
    private func time(of form: Form, _ url: URL) -> Double {
        let manager = RequestOperationManager.inMemory()
        manager.responseSerializer = HTTPResponseSerializer()
        let late = Late()
        if form != .without {
            manager.authenticator = SharedAuthenticator(
                late, credential: form == .valid ? "valid" : nil, origins: [url])
        }
        let began = ProcessFigures.cpuSeconds
        for _ in 0..<count { manager.operationQueue.addOperation(manager.operation(with: URLRequest(url: url))) }
        if form == .refreshed {
            usleep(300_000)  // until all operations wait
            late.mayEnd.signal()
        }
        manager.operationQueue.waitUntilAllOperationsAreFinished()
        return (ProcessFigures.cpuSeconds - began) * 1e6 / Double(count)
    }
}
