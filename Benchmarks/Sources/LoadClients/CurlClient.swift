// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CurlDriver
import Figures
import Foundation

/// libcurl, driven from C: all work happens inside one call. Bodies are never decoded, not even in mixed traffic.
final class CurlClient: LoadClient {
    private let limits: ConnectionLimits
    private let authorityFile: String?
    private var driver: OpaquePointer

    init(_ limits: ConnectionLimits, _ authorityFile: String?) throws {
        self.limits = limits
        self.authorityFile = authorityFile
        driver = try Self.makeDriver(limits, authorityFile)
    }

    deinit { curl_driver_free(driver) }

    func run(_ job: Job, _ ledger: Ledger) throws {
        let failure =
            switch job.traffic {
            case .uniform(let url): runUniform(job, url, ledger)
            case .mixed(let plan): runMixed(job, plan, ledger)
            }
        if let failure { ledger.recordError(failure) }
    }

    private func runUniform(_ job: Job, _ url: URL, _ ledger: Ledger) -> String? {
        let body: Data
        var (bodyFile, byteCount): (String?, Int64) = (nil, job.body.byteCount)
        switch job.body {
        case .none: (body, byteCount) = (Data(), -1)
        case .bytes(let data): body = data
        case .file(let file, _): (body, bodyFile) = (Data(), file.path)
        }
        let strings = CStrings([url.absoluteString, job.method, bodyFile, job.outputFolder?.path])
        return body.withUnsafeBytes { bytes in
            var work = Self.work(job, ledger)
            (work.url, work.method) = (strings[0], strings[1])
            (work.body, work.body_file, work.body_byte_count) = (bytes.baseAddress, strings[2], byteCount)
            work.output_folder = strings[3]
            return withExtendedLifetime(strings) { run(&work) }
        }
    }

    private func runMixed(_ job: Job, _ plan: MixedPlan, _ ledger: Ledger) -> String? {
        CStrings(plan.origins).withPointers { origins in
            var work = Self.work(job, ledger)
            (work.origins, work.origin_count) = (origins, plan.origins.count)
            work.first_number = UInt64(plan.firstNumber)
            return run(&work)
        }
    }

    /// Returns the part of a job that both kinds of traffic share.
    private static func work(_ job: Job, _ ledger: Ledger) -> curl_driver_job {
        var work = curl_driver_job()
        (work.request_count, work.byte_count) = (job.requestCount, job.expectedByteCount ?? -1)
        work.microseconds = ledger.microseconds
        return work
    }

    private func run(_ work: inout curl_driver_job) -> String? {
        curl_driver_run(driver, &work).map { String(cString: $0) }
    }

    /// Always true: the driver starts no more than the allowed number of requests at a time, even for a job that
    /// starts all at once.
    func measuresLatency(of job: Job) -> Bool { true }

    /// A multi handle closes its connections only when it is freed.
    func closeIdleConnections() -> Bool {
        guard let fresh = try? Self.makeDriver(limits, authorityFile) else { return false }
        curl_driver_free(driver)
        driver = fresh
        return true
    }

    private static func makeDriver(_ limits: ConnectionLimits, _ authorityFile: String?) throws -> OpaquePointer {
        var limits = curl_driver_limits(
            in_flight: CInt(limits.inFlight), per_origin: CInt(limits.perOrigin), kept: CInt(limits.kept))
        guard let driver = curl_driver_create(&limits, authorityFile) else {
            throw BenchmarkError("libcurl in C did not start")
        }
        return driver
    }
}

/// The libcurl in use.
package enum CurlLibrary {
    /// The version, such as "7.88.1".
    package static var version: String { String(cString: curl_driver_library_version()) }
}
