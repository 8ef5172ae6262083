// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Collects the file sinks that buffer bytes until the round ends, so that the pieces of a round are written together.
/// Network thread only.
package final class WriteCoalescer: RoundEndTask {
    private let loop: EventLoop
    private var sinks: [FileSink] = []
    private var isScheduled = false

    package init(loop: EventLoop) { self.loop = loop }

    /// Adds a sink that has buffered bytes.
    func add(_ sink: FileSink) {
        sinks.append(sink)
        guard !isScheduled else { return }
        isScheduled = true
        loop.atEndOfRound(.handover, self)
    }

    /// Drops the bytes that are buffered for a file.
    func drop(_ file: PartialFile) {
        for sink in sinks where sink.file === file { sink.dropKeptBytes() }
    }

    package func roundEnds() {
        isScheduled = false
        // Removed before the writes begin, so that this thread does not release the last reference to a file: closing
        // the file may take long.
        sinks.removeAll { !$0.hasKeptBytes }
        for sink in sinks { sink.roundEnds() }
        sinks.removeAll(keepingCapacity: true)
    }
}

@available(*, unavailable)
extension WriteCoalescer: Sendable {}
