// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
package import Foundation
import FoundationNetworking

/// What a client has to send, how often, and what every answer has to be. It does not know which client does it.
package struct Job: Sendable {
    /// What a request carries.
    package enum Body: Sendable {
        case none
        case bytes(Data)
        case file(URL, byteCount: Int64)

        /// Its length.
        var byteCount: Int64 {
            switch self {
            case .none: 0
            case .bytes(let data): Int64(data.count)
            case .file(_, let byteCount): byteCount
            }
        }
    }

    /// Where requests go.
    package enum Traffic: Sendable {
        /// All to one URL, with the method and the body of the job.
        case uniform(URL)
        /// Each with a URL, fields, a method, a body and a decoding of its own; those of the job do not count.
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
    /// A folder in which each body goes to a file that is named by the request's number; nil keeps bodies in memory.
    package var outputFolder: URL?
    /// Whether bodies are JSON to be decoded to a `Catalogue`.
    package var decodes = false
    /// How long each answer's body has to be; nil is not checked.
    package var expectedByteCount: Int64?
    package var requestCount: Int
    /// How many may be in flight.
    package var concurrency: Int
    /// Whether all are started at once, so that most of them wait in the client.
    package var startsAllAtOnce = false

    package init(_ traffic: Traffic, requestCount: Int, concurrency: Int) {
        self.traffic = traffic
        self.requestCount = requestCount
        self.concurrency = concurrency
    }

    /// What every client is allowed.
    var limits: ConnectionLimits { ConnectionLimits(inFlight: concurrency, originCount: traffic.originCount) }

    /// How many chains of requests, each started when the one before it has ended, a client without a queue keeps.
    var chainCount: Int { startsAllAtOnce ? requestCount : min(concurrency, requestCount) }

    /// The file for a request's body.
    func outputFile(_ number: Int) -> URL? { outputFolder?.appendingPathComponent("\(number)") }

    /// The request of uniform traffic as Foundation has it.
    func request(to url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        if method != "GET" { request.httpMethod = method }
        if case .bytes(let data) = body { request.httpBody = data }
        return request
    }

    /// What is wrong with an answer; nil when nothing is.
    func fault(status: Int?, byteCount: Int64?) -> String? {
        guard let status, 200..<300 ~= status else { return "status \(status.map(String.init) ?? "missing")" }
        guard let expectedByteCount, byteCount != expectedByteCount else { return nil }
        return "\(byteCount ?? 0) bytes, expected \(expectedByteCount)"
    }

    /// The fault of an answer whose body is not the JSON of the benchmark.
    static let notDecoded = "the body was not decoded"
}
