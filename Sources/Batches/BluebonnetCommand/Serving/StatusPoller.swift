// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Reads the state for all viewers together: once a second while there are viewers, never otherwise.
actor StatusPoller {
    /// The shortest time between the beginnings of two readings.
    static let interval = Duration.seconds(1)
    /// After a reading that takes long, the next one waits for a multiple of its time, so that the store is busy with
    /// the readings for a part of the time only.
    private static let restFactor = 3
    private static let longestRest = Duration.seconds(5)
    /// The maximum number of batches with details.
    static let detailLimit = 16

    private let source: any StatusSource
    private let interval: Duration
    private let publish: @Sendable (_ data: [UInt8], _ topic: String) -> Void
    private var topics: Set<String> = []
    private var nextReading = ContinuousClock.now
    private var isRunning = false

    /// - Parameter publish: receives the JSON text for each topic: the name of a batch, or an empty text for all
    ///   batches.
    init(
        _ source: any StatusSource, interval: Duration = StatusPoller.interval,
        publish: @escaping @Sendable (_ data: [UInt8], _ topic: String) -> Void
    ) {
        (self.source, self.interval, self.publish) = (source, interval, publish)
    }

    /// Sets the topics that viewers wait for.
    func watch(_ newTopics: Set<String>) {
        topics = newTopics
        guard !topics.isEmpty, !isRunning else { return }
        isRunning = true
        Task { await run() }
    }

    private func run() async {
        while true {
            try? await Task.sleep(until: nextReading)
            guard !topics.isEmpty else { break }
            let start = ContinuousClock.now
            await read()
            let elapsed = ContinuousClock.now - start
            nextReading = start + max(interval, elapsed + min(elapsed * Self.restFactor, Self.longestRest))
        }
        isRunning = false
    }

    private func read() async {
        let names = Array(topics.subtracting([""]).sorted().prefix(Self.detailLimit))
        let document: StatusDocument
        do {
            document = try await source.read(details: names)
        } catch {
            let problem = StatusDocument.json(problem: String(describing: error), at: Date())
            for topic in topics { publish(problem, topic) }
            return
        }
        for topic in topics {
            let isShown = topic.isEmpty || names.contains(topic)
            publish(
                isShown
                    ? document.json(of: topic, at: Date())
                    : StatusDocument.json(problem: "too many batches are being watched", at: Date()), topic)
        }
    }
}
