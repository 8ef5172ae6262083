// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import Foundation
public import FoundationNetworking

/// The adapter of a `TracingMonitor`: begins the span of each sending, and injects its context into the request.
///
/// The injected fields replace fields of the same names. The adapter never fails, and makes no request wait.
public struct TracePropagation: RequestAdapter {
    let monitor: TracingMonitor
    let trace: OperationTrace?

    /// Called by the library, on a Swift task.
    public func adapt(_ request: inout URLRequest, body: OutgoingBody) async throws {
        let url = request.url?.absoluteString ?? ""
        for field in monitor.beginSending(method: request.httpMethod ?? "GET", url: url, trace: trace) {
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
    }
}
