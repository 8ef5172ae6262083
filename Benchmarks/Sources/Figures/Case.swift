// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What is asked of every contender.
package enum Work: String, Codable, CaseIterable, Sendable {
    case tiny, json, post
    /// Requests that differ in everything, to 20 origins or to one.
    case mixed
    case mixedOneOrigin = "mixed-one-origin"
    case downloadFile = "download-file"
    case downloadMemory = "download-memory"
    case upload, enqueued
    case smallFiles = "small-files"
    case largeFiles = "large-files"

    /// What it is called in a table's title.
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

    /// Whether it is many small requests, of which each one counts, not the bytes.
    package var isSmall: Bool {
        switch self {
        case .tiny, .json, .post, .mixed, .mixedOneOrigin, .enqueued: true
        case .downloadFile, .downloadMemory, .upload, .smallFiles, .largeFiles: false
        }
    }

    /// How many origins mixed requests go to; nil for requests that are all alike.
    package var mixedOriginCount: Int? {
        switch self {
        case .mixed: 20
        case .mixedOneOrigin: 1
        case .tiny, .json, .post, .downloadFile, .downloadMemory, .upload, .enqueued, .smallFiles, .largeFiles: nil
        }
    }

    /// Whether commands do it.
    package var isForCommands: Bool { self == .smallFiles || self == .largeFiles }
}

/// How the bytes travel.
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

/// One line of the benchmark's plan: a work over a wire with so many requests in flight.
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

    /// Whom ratios are taken to first: the limit of what is possible.
    package var limit: Contender { work.isForCommands ? .curlCommand : .libcurl }

    /// Those who can do it. URLSession on Linux cannot be told which authority to trust, and is slow enough to leave it
    /// out beyond 64 in flight.
    package var contenders: [Contender] {
        switch work {
        case .tiny, .json, .post:
            return Contender.clients.filter { contender in
                switch contender {
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

    /// What its table shows.
    package var metrics: [Metric] {
        if work.isForCommands { return [.wallSeconds, .cpuSeconds, .peakResidentMebibytes] }
        guard work.isSmall else { return [.megabytesPerSecond, .cpuSeconds, .peakResidentMebibytes] }
        return [
            .requestsPerSecond, .cpuMicrosecondsPerRequest, .p50Milliseconds, .p99Milliseconds, .peakResidentMebibytes,
            .allocationsPerRequest,
        ]
    }

    /// The figure of which ratios are shown beside that of the CPU.
    package var mainMetric: Metric {
        if work.isForCommands { return .wallSeconds }
        return work.isSmall ? .requestsPerSecond : .megabytesPerSecond
    }
}
