// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import BluebonnetPipelines

/// Requests the pages of one line, one after another. Retained by its requests.
final class PageRun: Sendable {
    private let pipelines: PipelineRunner
    private let part: PipelineRunner.Part
    private let sequence: Mutex<PageSequence>

    init(_ pipelines: PipelineRunner, _ part: PipelineRunner.Part, _ rule: RequestLine.Pagination) {
        (self.pipelines, self.part) = (pipelines, part)
        sequence = Mutex(PageSequence(rule))
    }

    func begin() { request(sequence.withLock { $0.first }, number: 1) }

    private func request(_ change: PageChange?, number: Int) {
        guard !pipelines.isStopped else { return finish(.cancelled, PipelineRunner.stopped, last: nil) }
        var page = part.part("\(number)") { [self] in ended($0, number: number) }
        page.instance.change = change
        page.isReferenced = true
        pipelines.perform(page) { [self] end in
            var end = end
            end.result.page = number
            if !pipelines.keepsBody(of: part, id: end.result.id) { end.source?.dropBody() }
            return end
        }
    }

    private func ended(_ end: RequestLineRunner.End, number: Int) {
        guard end.result.outcome == .success, let page = end.findings?.page, let source = end.source else {
            let failure = end.result.error.map {
                ResultLine.Failure(code: $0.code, message: "page \(number): \($0.message)", underlying: $0.underlying)
            }
            return finish(end.result.outcome, failure, last: nil)
        }
        let step = sequence.withLock { $0.step(after: page) }
        pipelines.publish(source, of: part, id: end.result.id)
        switch step {
        case .next(let change):
            pipelines.whenUsed(part) { [self] in request(change, number: number + 1) }
        case .end: finish(.success, nil, last: source)
        case .fail(let code, let message):
            finish(.failure, ResultLine.Failure(code: code, message: message), last: nil)
        }
    }

    private func finish(_ outcome: ResultLine.Outcome, _ failure: ResultLine.Failure?, last: ReferenceSource?) {
        let (pages, items) = sequence.withLock { ($0.pageCount, $0.itemCount) }
        var result = ResultLine(id: part.instance.id, outcome: outcome)
        (result.pages, result.items, result.error) = (pages, items, failure)
        var source = last.map { ReferenceSource(status: $0.status, headers: $0.headers) }
        source?.pageCounts = ReferenceSource.PageCounts(pages: pages, items: items)
        part.onEnd(RequestLineRunner.End(result: result, source: source))
    }
}
