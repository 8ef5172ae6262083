// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import BluebonnetBatch
public import Foundation

/// The settings with which a fleet runs the lines of a batch. The store keeps them for every worker. A value type.
///
/// Do not put secrets into settings: every reader of the store can read them. Write `${env:NAME}` in a header instead.
/// The worker that sends the request inserts its environment variable there.
public struct FleetSettings: Sendable, Codable, Hashable {
    /// The base URL of relative URLs.
    public var baseURL: URL?
    /// Header fields of every line that does not set the same field itself. Default none.
    public var headers = HeaderFields()
    /// The form of a result line's body. Default `text`.
    public var bodyForm = RequestLineRunner.BodyForm.text
    /// The maximum number of bytes of a decoded body kept in memory. Default 64 MiB.
    public var maximumBodyByteCount = 64 << 20
    /// The time limits of lines without their own.
    public var timeouts = Timeouts()
    /// When failed requests are retried. Default nil: never.
    public var retryPolicy: RetryPolicy?
    /// Which servers are trusted. File paths are paths on the workers.
    public var securityPolicy = TransferOptions().securityPolicy
    /// Whether the segments `.` and `..` of a URL's path are sent as they are. Default false.
    public var keepsDotSegments = false
    /// Whether the first failure cancels all lines that have not ended. Default false.
    public var cancelsAtFirstFailure = false
    /// Whether a request that is not safe to repeat is sent again if a worker was lost when the request may have been
    /// sent. Default false: the outcome is `unknown`.
    public var resendsUnsafeRequests = false
    /// The maximum number of concurrent transfers to one scheme, host and port, of all workers together. Default nil:
    /// each worker has its own limit only. The smallest limit of all unfinished batches applies.
    public var maximumConcurrentTransferCountPerOrigin: Int?
    /// The rate at which transfers to one scheme, host and port may begin, of all workers together. Default nil: no
    /// limit. The lowest rate of all unfinished batches applies.
    public var rateLimitPerOrigin: RateLimit?
    /// The batch's priority. Batches of a higher priority go first; batches of the same priority share the workers
    /// evenly. Default 0.
    public var priority = 0
    /// How long the batch is kept when all its lines have ended. Workers remove it then, with its lines and results.
    /// The time begins when a worker, or `Fleet.prune(keeping:)`, finds that the lines have ended: within about a
    /// minute while workers run, otherwise later. From 0 to 1,000,000,000 s; other values count as the nearest of
    /// these. Default nil: the workers' `FleetWorker.Configuration.retention`.
    public var retention: Duration?

    /// Creates the default settings.
    public init() {}

    /// The settings that are part of the batch's digest.
    var digestSettings: RequestLineRunner.Settings {
        var settings = RequestLineRunner.Settings()
        (settings.baseURL, settings.headers, settings.bodyForm) = (baseURL, headers, bodyForm)
        settings.cancelsAtFirstFailure = cancelsAtFirstFailure
        settings.transferOptions.maximumBodyByteCount = maximumBodyByteCount
        settings.transferOptions.keepsDotSegments = keepsDotSegments
        return settings
    }

    /// Settings that workers without pipelines cannot read: they leave the batch to newer workers.
    private struct OfPipelines: Codable { let pipelines: FleetSettings }

    /// Encodes the settings for the store.
    ///
    /// - Parameter hasPipelines: whether lines have pages or elements, or send requests until a condition is met.
    func encoded(hasPipelines: Bool = false) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let encoded = hasPipelines ? try? encoder.encode(OfPipelines(pipelines: self)) : try? encoder.encode(self)
        guard let data = encoded else { preconditionFailure("the settings cannot be encoded") }
        return String(decoding: data, as: UTF8.self)
    }

    /// Decodes settings from the store.
    init(stored text: String) throws(FleetError) {
        do {
            let data = Data(text.utf8)
            let pipelines = try? JSONDecoder().decode(OfPipelines.self, from: data)
            self = try pipelines?.pipelines ?? JSONDecoder().decode(FleetSettings.self, from: data)
        } catch {
            throw FleetError(
                .failed, "the settings of a batch cannot be read", underlying: String(describing: error))
        }
    }
}
