// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import Foundation

/// A client that makes the requests of a plan, as the client's documentation recommends.
protocol AttemptClient: Sendable {
    /// Makes one request. Writes the response's body to the request's output file.
    func send(_ request: Plan.Request, _ index: Int) async -> Outcome

    /// Shuts the client down while requests are running.
    func shutDown() async
}

extension AttemptClient {
    /// Makes all requests of a plan.
    ///
    /// - Parameter report: called with each outcome when it is known, on any thread.
    func run(_ plan: Plan, report: @escaping @Sendable (Outcome) -> Void) async {
        guard plan.order != .oneAfterAnother else {
            for (index, request) in plan.requests.enumerated() { report(await send(request, index)) }
            return
        }
        await withTaskGroup(of: Void.self) { group in
            for (index, request) in plan.requests.enumerated() {
                group.addTask { report(await send(request, index)) }
            }
            if plan.order == .shutDownWhileRunning {
                group.addTask {
                    try? await Task.sleep(for: .milliseconds(500))
                    await shutDown()
                }
            }
        }
    }
}

extension Plan.Request {
    /// The file for the response's body.
    var output: URL { URL(fileURLWithPath: outputFile) }

    /// The file with the request's body; nil if the body is sent from memory.
    var sentFile: URL? { sendsFile ? bodyFile.map { URL(fileURLWithPath: $0) } : nil }

    /// The request's body; nil if it is sent from a file.
    var sentData: Data? {
        get throws { sendsFile ? nil : try bodyFile.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } }
    }
}
