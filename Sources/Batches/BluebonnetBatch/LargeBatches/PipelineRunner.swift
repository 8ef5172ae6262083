// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import BluebonnetPipelines
internal import Dispatch
internal import Foundation

/// Runs the lines that a pump starts: most as one operation, a line with a pipeline as several. All members can be used
/// from any thread.
///
/// Each line ends once. The results of its parts (pages and elements) are delivered before, each when the part ends.
package final class PipelineRunner: Sendable {
    /// A line, or the part of a line for one element.
    struct Part: Sendable {
        var instance: LineInstance
        /// The position of the line.
        let position: Int
        let needs: [RunnerDependency]
        /// Whether other lines refer to the response, or use it.
        var isReferenced: Bool
        var onEnd: @Sendable (RequestLineRunner.End) -> Void
        /// Whether other lines use its responses as elements.
        var hasReaders = false

        init(
            _ instance: LineInstance, position: Int, needs: [RunnerDependency], isReferenced: Bool,
            onEnd: @escaping @Sendable (RequestLineRunner.End) -> Void
        ) {
            (self.instance, self.position, self.needs) = (instance, position, needs)
            (self.isReferenced, self.onEnd) = (isReferenced, onEnd)
        }

        /// Returns a part of this one.
        func part(_ name: String, onEnd: @escaping @Sendable (RequestLineRunner.End) -> Void) -> Part {
            var part = self
            (part.instance, part.isReferenced, part.onEnd) = (instance.part(name), false, onEnd)
            return part
        }

        /// Whether this is a page or an element, not a whole line.
        var isPart: Bool { instance.id != lineID }

        /// The id of the whole line.
        var lineID: String { instance.node.line.id }

        var pipeline: RequestLine.Pipeline? { instance.node.line.line.boxedPipeline?.value }
    }

    private struct State {
        var feeds: [Int: ElementFeed] = [:]
        /// Whether no further parts are started.
        var isStopped = false
        /// Whether running streams end at their next items.
        var endsStreams = false
        /// The polls that wait for their next request, by number.
        var waits: [Int: @Sendable (Bool) -> Void] = [:]
        var waitCount = 0
        var partCounts: [ResultLine.Outcome: Int] = [:]
    }

    static let stopped = ResultLine.Failure.stopped

    let runner: RequestLineRunner
    private let pump: LinePump
    private let variables: LineVariables
    private let cancelsAtFirstFailure: Bool
    private let maximumItemCount: Int?
    private let bodyForm: RequestLineRunner.BodyForm
    private let recorder: any PartRecorder
    private let state = Mutex(State())
    private let group = DispatchGroup()
    /// The queue of polls that wait, and of parts that ended in an earlier run.
    private static let queue = DispatchQueue(label: "org.bluebonnet.request-line-parts")

    /// - Parameters:
    ///   - recorder: receives the end of each page and element.
    package init(
        _ runner: RequestLineRunner, pump: LinePump, settings: RequestLineRunner.Settings, recorder: any PartRecorder
    ) {
        (self.runner, self.pump, self.recorder) = (runner, pump, recorder)
        variables = LineVariables(state: settings.state)
        cancelsAtFirstFailure = settings.cancelsAtFirstFailure
        maximumItemCount = settings.maximumItemCount
        bodyForm = settings.bodyForm
    }

    private var lines: any LineSource { pump.lines }

    /// Starts a line whose dependencies have ended. A line with `each` may start before the end of its source.
    ///
    /// - Parameter onEnd: receives the end of the line, once.
    package func start(_ line: LinePump.Line, onEnd: @escaping @Sendable (RequestLineRunner.End) -> Void) {
        var instance = LineInstance(line.node)
        instance.variables = variables
        let readers = lines.readers(of: line.position)
        let hasReaders = !readers.isEmpty || lines.keepsResponses
        guard line.node.line.line.boxedPipeline != nil || !readers.isEmpty else {
            return runner.add(instance, needs: line.needs, isReferenced: line.isReferenced, onEnd: onEnd)
        }
        group.enter()
        var part = Part(
            instance, position: line.position, needs: line.needs, isReferenced: line.isReferenced || hasReaders
        ) { [self] end in
            onEnd(end)
            close(readers, end.result)
            group.leave()
        }
        part.hasReaders = hasReaders
        guard line.needs.allSatisfy(\.isSuccess) else {
            return runner.add(instance, needs: line.needs, isReferenced: false, onEnd: part.onEnd)  // skips the line
        }
        guard let each = part.pipeline?.each else { return run(part) }
        let feed = feed(of: line.position)
        if case .line(let source) = each.source, lines.keepsResponses { fill(feed, from: source) }
        EachRun(self, part, each, feed).begin()
    }

    /// Adds the kept responses of a line that has ended.
    private func fill(_ feed: ElementFeed, from id: String) {
        guard let position = lines.position(of: id) else { return }
        let items = lines.itemPath(of: position)
        for (id, source) in pump.keptResponses(of: position) {
            feed.add(ElementFeed.Arrival(id: id, source: source, items: items))
        }
        feed.close(ElementFeed.Ending(outcome: .success, reason: nil))
    }

    /// Runs a line without `each`, or one element of a line with `each`.
    func run(_ part: Part) {
        guard let rule = part.pipeline?.paginate else { return perform(publishing(part)) { $0 } }
        guard part.isPart else { return PageRun(self, part, rule).begin() }
        // The pages are recorded, and the element too: it ends after its last page.
        var element = part
        element.onEnd = { [self] end in deliver(end, part, nil) { part.onEnd(end) } }
        PageRun(self, element, rule).begin()
    }

    /// Runs one request, or the requests of a poll. Pages and elements are recorded and delivered.
    ///
    /// - Parameter change: completes the end before it is delivered.
    func perform(_ part: Part, _ change: @escaping @Sendable (RequestLineRunner.End) -> RequestLineRunner.End) {
        guard part.isPart else { return send(part) { part.onEnd(change($0)) } }
        switch recorder.earlier(part.instance, of: part.position) {
        case .ended(let end):
            // On the queue, so that many recorded pages in a row do not recurse.
            Self.queue.async { [self] in
                let hasItems = part.instance.node.line.line.hasItems
                if hasItems { restoreItems(of: part.instance.id, count: end.result.items) }
                deliver(end, part, nil) { part.onEnd(end) }
            }
        case .start(let wasSentBefore):
            var part = part
            part.instance = recorder.keyed(part.instance, of: part.position)
            recorder.start(
                part.instance, of: part.position, needs: part.needs, wasSentBefore: wasSentBefore
            ) { [self, part] ticket in
                send(part) { [self] end in
                    let end = change(end)
                    deliver(end, part, ticket) { part.onEnd(end) }
                }
            }
        }
    }

    private func send(_ part: Part, _ onEnd: @escaping @Sendable (RequestLineRunner.End) -> Void) {
        if let condition = part.pipeline?.until {
            PollRun(self, part, condition, onEnd: onEnd).begin()
        } else if let form = part.pipeline?.stream {
            let maximumCount = part.pipeline?.maxItems ?? maximumItemCount
            StreamRun(self, part, form, bodyForm: bodyForm, maximumCount: maximumCount, onEnd: onEnd).begin()
        } else {
            runner.add(part.instance, needs: part.needs, isReferenced: part.isReferenced, onEnd: onEnd)
        }
    }

    /// Returns the part with an end that passes its response on to other lines.
    private func publishing(_ part: Part) -> Part {
        guard part.isReferenced else { return part }
        var publishing = part
        publishing.onEnd = { [self] end in
            if end.result.outcome == .success, let source = end.source {
                publish(source, of: part, id: part.instance.id)
            }
            part.onEnd(end)
        }
        return publishing
    }

    /// Drops the elements that a line will not use, because it is not run.
    package func abandon(_ position: Int, _ result: ResultLine) {
        feed(of: position).abandon()
        close(lines.readers(of: position), result)
    }

    /// Passes on the response of a line that ended in an earlier run to the lines that use its elements.
    package func restore(_ position: Int, _ result: ResultLine, _ source: ReferenceSource?) {
        let readers = lines.readers(of: position)
        if let source {
            let response = ElementFeed.Arrival(id: result.id, source: source, items: .elements)
            for reader in readers { feed(of: reader).add(response) }
        }
        close(readers, result)
    }

    /// Delivers the recorded items of a stream that is not read, or not read to its end.
    ///
    /// - Parameters:
    ///   - id: the id of the line or the element.
    ///   - number: the number of the first item to deliver.
    ///   - count: the number of items of the stream; nil if it is not known.
    /// - Returns: the number of delivered items.
    @discardableResult
    package func restoreItems(of id: String, from number: Int = 1, count: Int?) -> Int {
        recorder.deliverItems(of: id, from: number, count: count)
    }

    /// Starts no further parts. Lines with parts that were not started end as cancelled. Running requests and streams
    /// are not affected: a stream is read to the end of its operation.
    package func close() { stop(endingStreams: false) }

    /// Starts no further parts, and ends running streams at their next items. The lines of both end as cancelled.
    package func stop() { stop(endingStreams: true) }

    private func stop(endingStreams: Bool) {
        let waits = state.withLock { state in
            state.isStopped = true
            if endingStreams { state.endsStreams = true }
            defer { state.waits = [:] }
            return state.waits
        }
        for wait in waits.sorted(by: { $0.key < $1.key }) { wait.value(true) }
    }

    /// Suspends the calling task until all lines with pipelines have ended.
    package func waitUntilFinished() async {
        await withCheckedContinuation { waiter in
            group.notify(queue: .global()) { waiter.resume() }
        }
    }

    /// The number of pages and elements that have ended, by outcome. Items of streams are not counted: they are parts
    /// of one response.
    package var partCounts: [ResultLine.Outcome: Int] { state.withLock { $0.partCounts } }
}

// MARK: - For the runs of lines

extension PipelineRunner {
    var isStopped: Bool { state.withLock { $0.isStopped } }

    var endsStreams: Bool { state.withLock { $0.endsStreams } }

    /// Counts, records and delivers the end of a page or an element.
    func deliver(
        _ end: RequestLineRunner.End, _ part: Part, _ ticket: (any Sendable)?, then: @escaping @Sendable () -> Void
    ) {
        state.withLock { $0.partCounts[end.result.outcome, default: 0] += 1 }
        record(end, part, ticket, then: then)
    }

    private func record(
        _ end: RequestLineRunner.End, _ part: Part, _ ticket: (any Sendable)?, then: @escaping @Sendable () -> Void
    ) {
        recorder.end(end, part.instance, of: part.position, ticket, then: then)
        guard end.result.outcome == .failure, cancelsAtFirstFailure else { return }
        pump.stop()
        stop()
        runner.cancel()
    }

    /// Records and delivers an item of a stream, or delivers the record of an earlier run.
    ///
    /// - Parameter then: receives the delivered result.
    func deliverItem(
        _ end: RequestLineRunner.End, _ item: Part, then: @escaping @Sendable (ResultLine) -> Void
    ) {
        guard case .ended(let earlier) = recorder.earlier(item.instance, of: item.position) else {
            return record(end, item, nil) { then(end.result) }
        }
        record(earlier, item, nil) { then(earlier.result) }
    }

    /// Whether a page's body is needed after its end.
    func keepsBody(of part: Part, id: String) -> Bool { part.hasReaders || lines.isMentioned(id) }

    /// Passes a response on to the lines that use its elements.
    func publish(_ source: ReferenceSource, of part: Part, id: String) {
        if id != part.lineID { pump.keep(source, ofPart: id, of: part.position) }
        let readers = lines.readers(of: part.position)
        guard !readers.isEmpty else { return }
        let response = ElementFeed.Arrival(
            id: id, source: source, items: part.pipeline?.paginate?.itemPath ?? .elements)
        for reader in readers { feed(of: reader).add(response) }
        pump.feed(readers, by: part.position)
    }

    /// Calls `body` when the lines that use the elements have used all of them.
    func whenUsed(_ part: Part, _ body: @escaping @Sendable () -> Void) {
        wait(for: lines.readers(of: part.position)[...], body)
    }

    private func wait(for readers: ArraySlice<Int>, _ body: @escaping @Sendable () -> Void) {
        guard let first = readers.first else { return body() }
        feed(of: first).whenDrained { [self] in wait(for: readers.dropFirst(), body) }
    }

    /// Calls `body` after a time; at once with true when the run is stopped.
    func wait(_ seconds: Double, _ body: @escaping @Sendable (Bool) -> Void) {
        let number: Int? = state.withLock { state in
            guard !state.isStopped else { return nil }
            state.waitCount += 1
            state.waits[state.waitCount] = body
            return state.waitCount
        }
        guard let number else { return body(true) }
        Self.queue.asyncAfter(deadline: .now() + seconds) { [self] in
            if let wait = state.withLock({ $0.waits.removeValue(forKey: number) }) { wait(false) }
        }
    }

    private func feed(of position: Int) -> ElementFeed {
        state.withLock { state in
            if let feed = state.feeds[position] { return feed }
            let feed = ElementFeed()
            state.feeds[position] = feed
            return feed
        }
    }

    /// Records for lines that use its elements that a line has ended.
    private func close(_ readers: [Int], _ result: ResultLine) {
        let ending = ElementFeed.Ending(outcome: result.outcome, reason: result.skipReason)
        for reader in readers { feed(of: reader).close(ending) }
    }
}
