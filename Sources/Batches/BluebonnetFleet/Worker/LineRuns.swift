// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetBatch

/// Runs the operations of a worker's lines. Confined to the worker's thread.
struct LineRuns {
    private let configuration: FleetWorker.Configuration
    private let governor: Governor
    private let inbox: WorkerInbox
    /// The worker's name.
    private let worker: String
    private var executors: [Int: BatchExecutor] = [:]
    private var running: [WorkerHand.Serial: (line: ClaimedLine, operation: HTTPRequestOperation?)] = [:]
    /// The responses that the worker's lines need, by claim and position.
    private var sources: [Int: [Int: (id: String, source: ReferenceSource)]] = [:]

    init(_ configuration: FleetWorker.Configuration, _ governor: Governor, _ inbox: WorkerInbox, worker: String) {
        (self.configuration, self.governor, self.inbox, self.worker) = (configuration, governor, inbox, worker)
    }

    /// Reads the responses to which claimed lines refer.
    mutating func loadSources(for lines: [ClaimedLine], of batch: OpenBatch, _ session: WorkerStore) throws(FleetError)
    {
        let needs = Set(lines.flatMap(\.needs))
        guard let claim = lines.first?.claim, !needs.isEmpty else { return }
        var rows = try session.sources(batch.number, needs.sorted())
        let pages = try session.pageSources(batch.number, needs.sorted(), pageIDs(in: lines))
        rows.merge(pages) { one, _ in one }
        sources[claim] = rows.compactMapValues { row in
            ReferenceSource(row).map { (row.id, $0) }
        }
    }

    /// The ids to which lines refer that pages may have.
    private func pageIDs(in lines: [ClaimedLine]) -> [String] {
        let texts = Set(lines.filter { !$0.needs.isEmpty }.map(\.text))
        let ids = texts.flatMap { text in
            (try? RequestLineParser().parse(line: text, number: 1)?.line.referencedIDs()) ?? []
        }
        return Set(ids.filter { $0.contains("/") }).sorted()
    }

    /// Starts a line. Its delays before other attempts, and its end, are posted to the inbox.
    mutating func start(_ serial: WorkerHand.Serial, _ line: ClaimedLine, of batch: OpenBatch) {
        let known = sources[line.claim]
        let pages = known?.filter { $0.value.id.contains("/") && !line.needs.contains($0.key) } ?? [:]
        let needed = line.needs.compactMap { known?[$0] } + pages.values
        let executor = executor(of: batch)
        running[serial] = (line, nil)
        let operation = executor.start(
            line,
            sources: Dictionary(needed.map { (ByteString($0.id), $0.source) }, uniquingKeysWith: { one, _ in one }),
            onWait: { [inbox] in inbox.post(.waiting(serial, length: $0)) },
            onEnd: { [inbox] in inbox.post(.ended(serial, $0)) })
        running[serial]?.operation = operation
    }

    private mutating func executor(of batch: OpenBatch) -> BatchExecutor {
        if let executor = executors[batch.number] { return executor }
        var settings = batch.settings.runnerSettings(configuration)
        settings.governor = governor
        let executor = BatchExecutor(batch, settings: settings, worker: worker)
        executors[batch.number] = executor
        return executor
    }

    /// Removes an operation that has ended, and returns its line; nil if the operation is unknown.
    mutating func end(_ serial: WorkerHand.Serial) -> ClaimedLine? { running.removeValue(forKey: serial)?.line }

    func cancel(_ serial: WorkerHand.Serial) { running[serial]?.operation?.cancel() }

    func cancelAll() { for run in running.values { run.operation?.cancel() } }

    /// Releases the executors of all other batches.
    mutating func keep(_ batches: Set<Int>) { executors = executors.filter { batches.contains($0.key) } }

    /// Releases the responses of claims that no longer exist.
    mutating func keep(claims: Set<Int>) {
        if sources.count > claims.count { sources = sources.filter { claims.contains($0.key) } }
    }
}
