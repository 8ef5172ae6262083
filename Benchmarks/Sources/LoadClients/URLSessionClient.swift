// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import FoundationNetworking

/// Foundation's URLSession on Linux, with as many connections per host as requests in flight. It does not support
/// mixed traffic.
final class URLSessionClient: LoadClient {
    private let session: URLSession

    /// - Throws: an error if an authority is given, because Foundation on Linux trusts the system's authorities only.
    init(_ limits: ConnectionLimits, _ authorityFile: String?) throws {
        guard authorityFile == nil else { throw BenchmarkError("URLSession on Linux cannot be told whom to trust") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = limits.perOrigin
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        session = URLSession(configuration: configuration)
    }

    func run(_ job: Job, _ ledger: Ledger) throws {
        guard case .uniform(let url) = job.traffic else { throw BenchmarkError("URLSession does no mixed traffic") }
        let session = session
        for _ in 0..<job.chainCount { Self.startNext(job, url, session, ledger) }
        ledger.wait()
    }

    private static func startNext(_ job: Job, _ url: URL, _ session: URLSession, _ ledger: Ledger) {
        guard let number = ledger.claim() else { return }
        let began = Moment.now
        let end: @Sendable (URLResponse?, Int64?, (any Error)?) -> Void = { response, byteCount, error in
            let status = (response as? HTTPURLResponse)?.statusCode
            let fault = error.map { "\($0)" } ?? job.fault(status: status, byteCount: byteCount)
            ledger.end(number, began: began, fault: fault)
            startNext(job, url, session, ledger)
        }
        task(job, number, job.request(to: url), session, end).resume()
    }

    private static func task(
        _ job: Job, _ number: Int, _ request: URLRequest, _ session: URLSession,
        _ end: @escaping @Sendable (URLResponse?, Int64?, (any Error)?) -> Void
    ) -> URLSessionTask {
        if let file = job.outputFile(number) {
            return session.downloadTask(with: request) { location, response, error in
                end(response, location.flatMap { move($0, to: file) }, error)
            }
        }
        if case .file(let file, _) = job.body {
            return session.uploadTask(with: request, fromFile: file) { data, response, error in
                end(response, data.map { Int64($0.count) }, error)
            }
        }
        return session.dataTask(with: request) { data, response, error in
            let isDecoded =
                !job.decodes || data.map { (try? JSONDecoder().decode(Catalogue.self, from: $0)) != nil } == true
            end(response, isDecoded ? data.map { Int64($0.count) } : nil, error)
        }
    }

    /// Moves a downloaded file, which the session removes when the handler returns. Returns its size; nil if it could
    /// not be moved.
    private static func move(_ location: URL, to file: URL) -> Int64? {
        guard (try? FileManager.default.moveItem(at: location, to: file)) != nil else { return nil }
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes?[.size] as? NSNumber)?.int64Value
    }
}
