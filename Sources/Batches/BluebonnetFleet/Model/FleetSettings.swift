// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import BluebonnetBatch
public import Foundation

/// How a fleet runs the lines of a batch: what the store keeps of it, for every worker. A value.
///
/// Secrets do not belong here: whoever reads the store reads them. Write `${env:NAME}` in a header instead; the worker
/// that sends the request puts its environment variable there.
public struct FleetSettings: Sendable, Codable, Hashable {
    /// The base of relative URLs.
    public var baseURL: URL?
    /// Header fields of every line that does not set a field of that name itself. Default none.
    public var headers = HeaderFields()
    /// The form of a result line's body. Default `text`.
    public var bodyForm = RequestLineRunner.BodyForm.text
    /// The most bytes of a decoded body kept in memory. Default 64 MiB.
    public var maximumBodyByteCount = 64 << 20
    /// The time limits of lines without their own.
    public var timeouts = Timeouts()
    /// When a failed request is sent again. Default nil: never.
    public var retryPolicy: RetryPolicy?
    /// Which servers are trusted. Paths of files are paths on the workers.
    public var securityPolicy = TransferOptions().securityPolicy
    /// Whether the segments `.` and `..` of a URL's path are sent as they are. Default false.
    public var keepsDotSegments = false
    /// Whether the first failure cancels what has not finished. Default false.
    public var cancelsAtFirstFailure = false
    /// Whether a request that is not safe to repeat is sent again when a worker was lost while it may have been sent.
    /// Default false: its outcome is `unknown`.
    public var resendsUnsafeRequests = false
    /// The most transfers to one scheme, host and port at once, of all workers together. Default nil: each worker has
    /// its own limit only. The smallest limit of all batches that are not finished counts.
    public var maximumConcurrentTransferCountPerOrigin: Int?
    /// How many transfers may begin in a time to one scheme, host and port, of all workers together. Default nil: no
    /// limit. The lowest rate of all batches that are not finished counts.
    public var rateLimitPerOrigin: RateLimit?
    /// Batches of a higher priority go first; those of the same share the workers evenly. Default 0.
    public var priority = 0

    /// The defaults.
    public init() {}

    /// The difference between batches.
    var digestSettings: RequestLineRunner.Settings {
        var settings = RequestLineRunner.Settings()
        (settings.baseURL, settings.headers, settings.bodyForm) = (baseURL, headers, bodyForm)
        settings.cancelsAtFirstFailure = cancelsAtFirstFailure
        settings.transferOptions.maximumBodyByteCount = maximumBodyByteCount
        settings.transferOptions.keepsDotSegments = keepsDotSegments
        return settings
    }

    /// The settings as the store has them.
    func encoded() -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let data = try? encoder.encode(self) else { preconditionFailure("settings that cannot be encoded") }
        return String(decoding: data, as: UTF8.self)
    }

    /// Reads settings that the store has.
    init(stored text: String) throws(FleetError) {
        do {
            self = try JSONDecoder().decode(FleetSettings.self, from: Data(text.utf8))
        } catch {
            throw FleetError(
                .failed, "the settings of a batch cannot be read", underlying: String(describing: error))
        }
    }
}
