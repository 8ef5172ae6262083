// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet

/// Values of attributes that OpenTelemetry's conventions for HTTP clients limit.
package enum ConventionalValue {
    /// The value of any method, or server, that is not counted by its name.
    package static let other = "_OTHER"

    private static let methods: Set = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    /// The value of `http.request.method`: the method, or `_OTHER` if it is not a known method.
    package static func method(_ method: String) -> String { methods.contains(method) ? method : other }

    /// The value of `error.type`: the status of a response that is an error, otherwise the code of the error; nil
    /// without an error.
    package static func errorType(_ code: NetworkingError.Code?, statusCode: Int?) -> String? {
        if let statusCode, statusCode >= 400 { return String(statusCode) }
        return code?.rawValue
    }

    /// The value of `error.type` of one hop.
    package static func errorType(_ end: RequestEvent.HopEnd, statusCode: Int?) -> String? {
        switch end.reason {
        case .complete, .paused: errorType(nil, statusCode: statusCode)
        case .cancelled: NetworkingError.Code.cancelled.rawValue
        case .restarted: "restarted"
        case .failed(let code): errorType(code, statusCode: statusCode)
        }
    }
}

extension Duration {
    /// The duration in seconds.
    package var inSeconds: Double { self / .seconds(1) }
}
