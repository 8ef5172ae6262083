// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The work that contenders perform in a case.
package enum Work: String, Codable, CaseIterable, Sendable {
    case tiny, json, post
    /// Requests that differ in all parts, to 20 origins or to one.
    case mixed
    case mixedOneOrigin = "mixed-one-origin"
    case downloadFile = "download-file"
    case downloadMemory = "download-memory"
    case upload, enqueued
    case smallFiles = "small-files"
    case largeFiles = "large-files"

    /// The name of the work in the title of a table.
    package var title: String {
        switch self {
        case .tiny: "GET of 13 bytes"
        case .json: "GET of 1 kB of JSON, decoded"
        case .post: "POST of 1 kB"
        case .mixed: "mixed requests to 20 origins"
        case .mixedOneOrigin: "mixed requests to one origin"
        case .downloadFile: "download to a file"
        case .downloadMemory: "download to memory"
        case .upload: "upload of a file"
        case .enqueued: "GET of 13 bytes, all started at once"
        case .smallFiles: "the command: small files"
        case .largeFiles: "the command: large files"
        }
    }

    /// Whether the work consists of many small requests, whose number matters rather than their bytes.
    package var isSmall: Bool {
        switch self {
        case .tiny, .json, .post, .mixed, .mixedOneOrigin, .enqueued: true
        case .downloadFile, .downloadMemory, .upload, .smallFiles, .largeFiles: false
        }
    }

    /// The number of origins of mixed requests; nil for requests that are all alike.
    package var mixedOriginCount: Int? {
        switch self {
        case .mixed: 20
        case .mixedOneOrigin: 1
        case .tiny, .json, .post, .downloadFile, .downloadMemory, .upload, .enqueued, .smallFiles, .largeFiles: nil
        }
    }

    /// Whether commands perform the work, not clients.
    package var isForCommands: Bool { self == .smallFiles || self == .largeFiles }
}

/// The protocol of the requests.
package enum Wire: String, Codable, CaseIterable, Sendable {
    case plain, tls, http2

    package var title: String {
        switch self {
        case .plain: "HTTP/1.1"
        case .tls: "TLS, HTTP/1.1"
        case .http2: "TLS, HTTP/2"
        }
    }
}

/// A case of the benchmark: a work over a wire with a number of requests in flight.
package struct Case: Hashable, Codable, Sendable {
    package let work: Work
    package let wire: Wire
    package let concurrency: Int

    package init(_ work: Work, _ wire: Wire = .plain, concurrency: Int) {
        self.work = work
        self.wire = wire
        self.concurrency = concurrency
    }

    package var title: String { "\(work.title), \(wire.title), \(concurrency) in flight" }

    /// The contender to which ratios are taken first: the limit of what is possible.
    package var limit: Contender { work.isForCommands ? .curlCommand : .libcurl }

    /// The contenders that can perform the case. URLSession on Linux has no option for the authority to trust, and is
    /// omitted above 64 requests in flight because it is slow.
    package var contenders: [Contender] {
        switch work {
        case .tiny, .json, .post:
            return Contender.allCases.filter { contender in
                switch contender {
                case .h2load: work == .tiny
                case .bluebonnetLoop: work == .tiny && wire == .plain
                case .bluebonnetResponse: work == .tiny
                case .bluebonnetPinned: work == .tiny && wire != .plain
                case .urlSession: wire == .plain && concurrency <= 64
                case .bluebonnet, .bluebonnetAsync, .asyncHTTPClient, .asyncHTTPClientFuture, .libcurl: true
                case .bluebonnetURLRequest, .bluebonnetCommand, .curlCommand, .wget2, .aria2c: false
                }
            }
        case .mixed, .mixedOneOrigin:
            return [
                .bluebonnet, .bluebonnetLoop, .bluebonnetURLRequest, .bluebonnetAsync, .asyncHTTPClient,
                .asyncHTTPClientFuture, .libcurl,
            ]
        case .downloadFile, .downloadMemory:
            return [.bluebonnet, .asyncHTTPClient, .asyncHTTPClientFuture, .urlSession, .libcurl]
        case .upload: return [.bluebonnet, .asyncHTTPClient, .urlSession, .libcurl]
        case .enqueued: return [.bluebonnet, .asyncHTTPClient, .libcurl]
        case .smallFiles, .largeFiles: return [.bluebonnetCommand, .curlCommand, .wget2, .aria2c]
        }
    }

    /// The metrics in the case's table.
    package var metrics: [Metric] {
        if work.isForCommands { return [.wallSeconds, .cpuSeconds, .peakResidentMebibytes] }
        guard work.isSmall else { return [.megabytesPerSecond, .cpuSeconds, .peakResidentMebibytes] }
        return [
            .requestsPerSecond, .cpuMicrosecondsPerRequest, .p50Milliseconds, .p99Milliseconds, .peakResidentMebibytes,
            .allocationsPerRequest,
        ]
    }

    /// The metric whose ratios are shown, in addition to the CPU time.
    package var mainMetric: Metric {
        if work.isForCommands { return .wallSeconds }
        return work.isSmall ? .requestsPerSecond : .megabytesPerSecond
    }
}
