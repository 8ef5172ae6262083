// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CurlDriver
import Figures
import Foundation
import Glibc

/// libcurl, driven from C; everything happens inside one call. Bodies are never decoded.
final class CurlClient: LoadClient {
    private let concurrency: Int
    private let authorityFile: String?
    private var driver: OpaquePointer

    init(concurrency: Int, authorityFile: String?) throws {
        self.concurrency = concurrency
        self.authorityFile = authorityFile
        driver = try Self.makeDriver(concurrency, authorityFile)
    }

    deinit { curl_driver_free(driver) }

    func run(_ job: Job, _ ledger: Ledger) throws {
        let body: Data
        var (bodyFile, byteCount): (String?, Int64) = (nil, job.body.byteCount)
        switch job.body {
        case .none: (body, byteCount) = (Data(), -1)
        case .bytes(let data): body = data
        case .file(let file, _): (body, bodyFile) = (Data(), file.path)
        }
        let strings = [job.url.absoluteString, job.method, bodyFile, job.outputFolder?.path].map {
            $0.map { strdup($0) }
        }
        defer { for string in strings { free(string ?? nil) } }
        let failure = body.withUnsafeBytes { bytes in
            var work = curl_driver_job(
                url: strings[0] ?? nil, method: strings[1] ?? nil, body: bytes.baseAddress,
                body_file: strings[2] ?? nil, body_byte_count: byteCount, output_folder: strings[3] ?? nil,
                request_count: job.requestCount, byte_count: job.expectedByteCount ?? -1,
                microseconds: ledger.microseconds)
            return curl_driver_run(driver, &work).map { String(cString: $0) }
        }
        if let failure { ledger.note(failure) }
    }

    /// Only so many are ever started at a time, whatever the job says.
    func measuresLatency(of job: Job) -> Bool { true }

    /// A multi handle closes its connections only when it goes.
    func closeIdleConnections() -> Bool {
        guard let fresh = try? Self.makeDriver(concurrency, authorityFile) else { return false }
        curl_driver_free(driver)
        driver = fresh
        return true
    }

    private static func makeDriver(_ concurrency: Int, _ authorityFile: String?) throws -> OpaquePointer {
        guard let driver = curl_driver_create(CInt(concurrency), authorityFile) else {
            throw BenchmarkError("libcurl in C did not start")
        }
        return driver
    }
}

/// Which libcurl is in use.
package enum CurlLibrary {
    /// Such as "7.88.1".
    package static var version: String { String(cString: curl_driver_library_version()) }
}
