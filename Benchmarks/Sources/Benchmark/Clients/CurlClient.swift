// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CurlDriver
import Foundation
import Glibc

/// libcurl, driven from C; everything happens inside one call.
final class CurlClient: Client {
    private let concurrency: Int
    private var driver: OpaquePointer

    init(concurrency: Int) throws {
        self.concurrency = concurrency
        driver = try Self.makeDriver(concurrency)
    }

    deinit {
        curl_driver_free(driver)
    }

    func run(_ work: Work) throws {
        let output = try work.outputPath.map(Self.create) ?? -1
        defer { if output >= 0 { close(output) } }
        let failure = work.url.absoluteString.withCString { url in
            var job = curl_driver_job(
                url: url, request_count: work.requestCount, byte_count: work.byteCount, output: output)
            return curl_driver_run(driver, &job).map { String(cString: $0) }
        }
        if let failure { throw BenchmarkError("libcurl in C, \(work.url): \(failure)") }
    }

    /// A multi handle closes its connections only when it goes.
    func closeIdleConnections() {
        guard let fresh = try? Self.makeDriver(concurrency) else { return }
        curl_driver_free(driver)
        driver = fresh
    }

    private static func makeDriver(_ concurrency: Int) throws -> OpaquePointer {
        guard let driver = curl_driver_create(CInt(concurrency)) else {
            throw BenchmarkError("libcurl in C did not start")
        }
        return driver
    }

    private static func create(_ path: String) throws -> CInt {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkError("\(path) cannot be made") }
        return descriptor
    }
}
