// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
package import Foundation
import FoundationNetworking

/// The requests that a client sends, their number, and the expected answers. A job does not depend on the client.
package struct Job: Sendable {
    /// The body of a request.
    package enum Body: Sendable {
        case none
        case bytes(Data)
        case file(URL, byteCount: Int64)

        /// The length of the body, in bytes.
        var byteCount: Int64 {
            switch self {
            case .none: 0
            case .bytes(let data): Int64(data.count)
            case .file(_, let byteCount): byteCount
            }
        }
    }

    /// The targets of requests.
    package enum Traffic: Sendable {
        /// All requests use one URL, with the method and the body of the job.
        case uniform(URL)
        /// Each request has a different URL, fields, method, body and decoding. Those in the job are not used.
        case mixed(MixedPlan)

        var originCount: Int {
            switch self {
            case .uniform: 1
            case .mixed(let plan): plan.origins.count
            }
        }
    }

    package var traffic: Traffic
    package var method = "GET"
    package var body = Body.none
    /// A folder in which each body is written to a file named by the request's number; nil keeps bodies in memory.
    package var outputFolder: URL?
    /// Whether bodies are JSON to be decoded to a `Catalogue`.
    package var decodes = false
    /// The expected length of each answer's body; nil is not checked.
    package var expectedByteCount: Int64?
    package var requestCount: Int
    /// The maximum number of requests in flight.
    package var concurrency: Int
    /// Whether all requests are started at once, so that most of them wait in the client.
    package var startsAllAtOnce = false

    package init(_ traffic: Traffic, requestCount: Int, concurrency: Int) {
        self.traffic = traffic
        self.requestCount = requestCount
        self.concurrency = concurrency
    }

    /// The limits of connections for every client.
    var limits: ConnectionLimits { ConnectionLimits(inFlight: concurrency, originCount: traffic.originCount) }

    /// The number of chains of requests in a client without a queue. Each request of a chain starts when the previous
    /// one has ended.
    var chainCount: Int { startsAllAtOnce ? requestCount : min(concurrency, requestCount) }

    /// Returns the file for a request's body; nil without an output folder.
    func outputFile(_ number: Int) -> URL? { outputFolder?.appendingPathComponent("\(number)") }

    /// Returns the request of uniform traffic as Foundation's type.
    func request(to url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        if method != "GET" { request.httpMethod = method }
        if case .bytes(let data) = body { request.httpBody = data }
        return request
    }

    /// Returns the fault of an answer; nil without a fault.
    func fault(status: Int?, byteCount: Int64?) -> String? {
        guard let status, 200..<300 ~= status else { return "status \(status.map(String.init) ?? "missing")" }
        guard let expectedByteCount, byteCount != expectedByteCount else { return nil }
        return "\(byteCount ?? 0) bytes, expected \(expectedByteCount)"
    }

    /// The fault of an answer whose body is not the JSON of the benchmark.
    static let notDecoded = "the body was not decoded"
}
