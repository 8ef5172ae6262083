// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Collects the file sinks that buffer bytes until the round ends, so that the pieces of a round are written together,
/// and the consumers to wake then, so that each is woken once. Network thread only.
package final class WriteCoalescer: RoundEndTask {
    private let loop: EventLoop
    private var sinks: [FileSink] = []
    private var wakes: [BodyPipe.Wake] = []
    private var isScheduled = false

    package init(loop: EventLoop) { self.loop = loop }

    /// Adds a sink that has buffered bytes.
    func add(_ sink: FileSink) {
        sinks.append(sink)
        schedule()
    }

    /// Adds the wake-up of a consumer for which bytes have arrived.
    func add(_ wake: @escaping BodyPipe.Wake) {
        wakes.append(wake)
        schedule()
    }

    private func schedule() {
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
        let wakes = wakes
        self.wakes.removeAll(keepingCapacity: true)
        for wake in wakes { wake() }
    }
}

@available(*, unavailable)
extension WriteCoalescer: Sendable {}
