// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import Foundation

/// A client that makes the requests of a plan, each as the client's documentation says.
protocol AttemptClient: Sendable {
    /// Makes one request; leaves the response's body in the request's output file.
    func send(_ request: Plan.Request, _ index: Int) async -> Outcome

    /// Shuts the client down while requests run.
    func shutDown() async
}

extension AttemptClient {
    /// Makes all requests of a plan.
    ///
    /// - Parameter report: gets each outcome as soon as it is there, from any thread.
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
    /// Where the response's body belongs.
    var output: URL { URL(fileURLWithPath: outputFile) }

    /// The file with the body to send, if the body is sent from a file.
    var sentFile: URL? { sendsFile ? bodyFile.map { URL(fileURLWithPath: $0) } : nil }

    /// The body to send, if it is sent from memory.
    var sentData: Data? {
        get throws { sendsFile ? nil : try bodyFile.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } }
    }
}
