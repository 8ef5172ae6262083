// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The error of a request that a recording lacks: the requested and the most similar recorded request. A value.
struct PlaybackFault: Error {
    private let wanted: RecordedExchange.Request
    /// The number of equal requests in the recording, all of which were played.
    private let playedCount: Int
    private let closest: RecordedExchange.Request?
    private let matching: TrafficRecording.Matching

    /// - Parameter left: the requests of the recording that were not played.
    init(
        _ wanted: RecordedExchange.Request, playedCount: Int, left: [RecordedExchange.Request],
        matching: TrafficRecording.Matching
    ) {
        (self.wanted, self.playedCount, self.matching) = (wanted, playedCount, matching)
        closest = left.min { Self.distance($0, wanted) < Self.distance($1, wanted) }
    }

    /// Returns the error message for people.
    func text(in file: URL) -> String {
        let name = file.lastPathComponent
        if playedCount > 0 {
            let count = playedCount == 1 ? "the only one was" : "all \(playedCount) were"
            return "\(name) has no further \(wanted.method) \(wanted.url): \(count) already played"
        }
        let advice = "Record \(name) again if the program is right."
        guard let closest else { return "\(name) has no \(wanted.method) \(wanted.url). \(advice)" }
        var lines = [
            "\(name) has no \(wanted.method) \(wanted.url). \(advice) Closest request (- recorded, + sent):"
        ]
        lines += Self.lines("", "\(closest.method) \(closest.url)", "\(wanted.method) \(wanted.url)")
        if matching == .methodURLAndBody, closest.body != wanted.body {
            lines += Self.lines("body: ", Self.shown(closest.body), Self.shown(wanted.body))
        }
        return lines.joined(separator: "\n")
    }

    private static func lines(_ part: String, _ recorded: String, _ sent: String) -> [String] {
        recorded == sent ? ["    \(part)\(sent)"] : ["  - \(part)\(recorded)", "  + \(part)\(sent)"]
    }

    private static func shown(_ body: RecordedBody?) -> String { body.map { $0.data.shown } ?? "none" }

    /// Returns the difference between two requests. The URL's path has the most weight, then the method, then the rest
    /// of the URL, then the body.
    private static func distance(_ one: RecordedExchange.Request, _ other: RecordedExchange.Request) -> Int {
        let path = one.url.prefix { $0 != "?" } == other.url.prefix { $0 != "?" }
        return (path ? 0 : 8) + (one.method == other.method ? 0 : 4) + (one.url == other.url ? 0 : 2)
            + (one.body == other.body ? 0 : 1)
    }
}
