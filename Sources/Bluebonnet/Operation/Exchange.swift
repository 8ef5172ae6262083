// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// One operation's request and response over all its transfers: what is sent next, and what became of what came.
///
/// Network thread only. It decides on each response head what the body is for (the result, or nothing because another
/// transfer follows), and knows neither the transport nor admission.
final class Exchange {
    /// What follows when a transfer has ended.
    enum Step {
        case complete
        case failed(NetworkingError)
        /// Another transfer, with `next`.
        case another(isRedirect: Bool)
    }

    /// What the body of the response at hand is for.
    private enum Role {
        case undecided
        /// The result.
        case body(BodyReceiver)
        /// Nothing: `step` follows.
        case discard(Discarded)
    }

    private enum Discarded {
        case redirect(RedirectPolicy.Request)
        case challenge
        case startAgain
        case isComplete
    }

    let prepared: PreparedRequest
    /// Nil until they were opened.
    var files: PreparedRequest.Files?
    private let operation: RequestOperation
    private let options: TransferOptions
    private var redirects: RedirectChain
    private var authentication: HTTPAuthentication
    private var resumption: RangeResumption?

    /// The request of the next transfer.
    private(set) var next: RedirectPolicy.Request
    private var head: ResponseHead?
    private var role = Role.undecided
    private var sink: (any BodySink)?
    /// What the partial file's bytes are a part of, as its record on disk says.
    private var record: PartialRecord?
    /// The head of the response that a pause interrupted, and whether the result was continued by a range.
    private var interruptedHead: ResponseHead?
    private var isContinued = false
    /// The whole length of a body that is being continued.
    private var continuedTotal: Int64?
    private var discardedByteCount = 0
    private var upload = ProgressMeter()
    private var download = ProgressMeter()

    /// A body that nobody wants is read to its end, to keep the connection, up to this size.
    private static let discardLimit = 64 * 1024

    init(_ prepared: PreparedRequest, operation: RequestOperation) {
        let options = prepared.options
        self.prepared = prepared
        self.operation = operation
        self.options = options
        next = prepared.first
        redirects = RedirectChain(
            prepared.first,
            policy: RedirectPolicy(
                limit: options.maximumRedirectCount, allowsInsecureTarget: options.allowsInsecureRedirects))
        authentication = HTTPAuthentication(credential: options.credential, origin: prepared.origin)
    }

    /// Takes the files, and notes what an earlier process or operation left beside the output file.
    func takeFiles(_ files: PreparedRequest.Files) {
        self.files = files
        guard let file = files.output, let record = file.initialRecord else { return }
        guard prepared.first.mayBeContinued else { return file.removeRecord() }
        self.record = record
        resumption = RangeResumption(
            offset: file.initialByteCount, etag: record.etag, totalByteCount: record.totalByteCount,
            responseURLDigest: record.responseURLDigest)
    }
}

@available(*, unavailable)
extension Exchange: Sendable {}

// MARK: - What goes out

extension Exchange {
    /// Whether the server may see the request twice without harm: then a pause gives the connection up.
    var canBeSentAgain: Bool { ["GET", "HEAD"].contains(next.method) }

    func transferRequest(deadline: UInt64) -> TransferRequest {
        head = nil
        role = .undecided
        discardedByteCount = 0
        upload.restart(at: 0)
        var request = TransferRequest(url: next.url, method: next.method, headers: headers)
        request.body = next.hasBody ? files?.body ?? .none : .none
        request.identity = options.identity
        request.httpVersion = options.httpVersion
        request.connectTimeout = options.connectTimeout.nanoseconds
        request.idleTimeout = prepared.idleTimeout.nanoseconds
        request.deadline = deadline
        request.cookieJar = cookieJar
        request.headerByteLimit = options.maximumHeaderByteCount
        request.expectsLargeBody = files?.output != nil
        return request
    }

    /// The jar, where it may be used for the next transfer.
    private var cookieJar: CookieJar? {
        guard let jar = options.cookieJar, prepared.request.httpShouldHandleCookies else { return nil }
        return CookieRules.mayUseJar(host: next.url.host ?? "", namesHost: next.headers["Host"] != nil) ? jar : nil
    }

    /// Where the next transfer goes.
    var nextOrigin: Origin? { redirects.hopCount == 0 ? prepared.origin : Origin(next.url) }

    private var headers: [(name: String, value: String)] {
        var fields = next.headers.fields.map { (name: $0.name, value: $0.value) }
        func set(_ name: String, _ value: String) {
            fields.removeAll { FieldSyntax.isSameName($0.name, name) }
            fields.append((name, value))
        }
        for field in resumption?.headers ?? [] { set(field.name, field.value) }
        if next.carriesCredentials, let authorization = authentication.authorization(method: next.method, url: next.url)
        {
            set("Authorization", authorization)
        }
        return fields
    }

    /// The body goes out from its start again.
    func noteSendingStartedAgain() {
        upload.restart(at: 0)
    }

    func noteSent(_ byteCount: Int) {
        guard let delta = upload.advance(by: byteCount, now: MonotonicClock.now()) else { return }
        operation.reportUpload(delta, upload.total, (files?.body.byteCount ?? 0))
    }

    /// Tells the progress that was held back, before the end.
    func flushProgress() {
        if let delta = upload.takeUntold() { operation.reportUpload(delta, upload.total, (files?.body.byteCount ?? 0)) }
        if let delta = download.takeUntold() { operation.reportDownload(delta, download.total, expectedByteCount) }
    }
}

// MARK: - What comes in

extension Exchange {
    func receive(_ head: ResponseHead) throws(NetworkingError) {
        self.head = head
        if let discarded = try followUp(of: head) {
            role = .discard(discarded)
        } else {
            role = .body(try receiver(for: head))
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        switch role {
        case .undecided: return
        case .discard:
            discardedByteCount += bytes.count
            guard discardedByteCount <= Self.discardLimit else {
                throw NetworkingError(.cancelled, "the rest of a body that nobody wants was not read")
            }
        case .body(let receiver):
            let before = receiver.sink.byteCount
            try receiver.receive(bytes)
            noteReceived(Int(receiver.sink.byteCount - before))
        }
    }

    private func noteReceived(_ byteCount: Int) {
        guard let delta = download.advance(by: byteCount, now: MonotonicClock.now()) else { return }
        operation.reportDownload(delta, download.total, expectedByteCount)
    }

    /// The whole body's length, -1 when it is not known.
    private var expectedByteCount: Int64 {
        guard let head, head.contentCodings.isEmpty else { return -1 }
        return head.totalByteCount ?? -1
    }

    /// Whether another transfer follows this response, whose body is then of no interest.
    private func followUp(of head: ResponseHead) throws(NetworkingError) -> Discarded? {
        // A page that sets a cookie and sends its reader back to itself is no circle: the next request is another one.
        if cookieJar != nil, head.fields.contains(where: { FieldSyntax.isSameName($0.name, "Set-Cookie") }) {
            redirects.forgetVisits()
        }
        switch redirects.decision(status: head.status, locations: head.locations) {
        case .fail(let error): throw error
        case .follow(let request): return .redirect(request)
        case .deliver: break
        }
        if head.status == 401, next.carriesCredentials, authentication.accepts(head.values(for: "WWW-Authenticate")) {
            return .challenge
        }
        switch resumption?.decide(on: head) {
        case .askAgain?: return .startAgain
        case .isComplete?: return interruptedHead == nil ? .startAgain : .isComplete
        case .append?, .startOver?, .unrelated?, nil: return nil
        }
    }

    private func receiver(for head: ResponseHead) throws(NetworkingError) -> BodyReceiver {
        isContinued = resumption?.decide(on: head) == .append
        continuedTotal = isContinued ? head.totalByteCount ?? resumption?.totalByteCount : nil
        resumption = nil
        guard head.status != 206 || isContinued || next.headers["Range"] != nil else {
            throw NetworkingError(.badServerResponse, "the server sent a part of the body without being asked for one")
        }
        let sink = try isContinued ? continuedSink() : makeSink(for: head)
        self.sink = sink
        download.restart(at: sink.byteCount)
        return try BodyReceiver(
            sink: sink, codings: head.hasBody(for: next.method) ? head.contentCodings : [],
            isFramed: head.contentLength != nil || head.isChunked || head.httpVersion == "2",
            maximumExpansionRatio: options.maximumExpansionRatio)
    }

    /// The sink of the transfer that was interrupted, or the file that an earlier operation left.
    private func continuedSink() throws(NetworkingError) -> any BodySink {
        if let sink { return sink }
        guard let file = files?.output else { throw NetworkingError(.resumeRefused, "there is nothing to continue") }
        return FileSink(file)
    }

    private func makeSink(for head: ResponseHead) throws(NetworkingError) -> any BodySink {
        guard let file = files?.output, operation.acceptsForOutput(status: head.status) else {
            let sink = MemorySink(byteLimit: options.maximumBodyByteCount)
            if head.hasBody(for: next.method), let length = head.contentLength, length <= options.maximumBodyByteCount {
                sink.reserve(length)
            }
            return sink
        }
        let sink = FileSink(file)
        try sink.truncate()
        try setRecord(for: head, file)
        return sink
    }

    /// Notes what the file is a part of, when its rest could be asked for: an uncoded body with a strong validator that
    /// is worth it.
    private func setRecord(for head: ResponseHead, _ file: PartialFile) throws(NetworkingError) {
        record = nil
        if let etag = head.strongETag, head.status == 200, head.contentCodings.isEmpty, prepared.first.mayBeContinued,
            head.contentLength ?? .max >= Self.smallestContinuedBody
        {
            record = PartialRecord(
                requestURL: prepared.first.url, responseURL: head.url, etag: etag, totalByteCount: head.contentLength)
        }
        if let record { try file.setRecord(record) } else { file.removeRecord() }
    }

    private static let smallestContinuedBody: Int64 = 64 * 1024
}

// MARK: - Ends

extension Exchange {
    /// What follows the end of a transfer.
    func finishTransfer(error: NetworkingError?) -> Step {
        switch role {
        case .discard(let discarded) where error == nil || discardedByteCount > Self.discardLimit:
            return takeStep(discarded)
        case .body(let receiver) where error == nil:
            do throws(NetworkingError) {
                try receiver.finish()
                try checkContinuation(receiver.sink.byteCount)
                return .complete
            } catch {
                return .failed(error)
            }
        case .undecided, .discard, .body:
            return error.map(Step.failed) ?? .complete
        }
    }

    /// A server may answer with less than the rest: what is there then is not the body.
    private func checkContinuation(_ byteCount: Int64) throws(NetworkingError) {
        guard let continuedTotal, byteCount != continuedTotal else { return }
        if byteCount > continuedTotal { record = nil }
        throw NetworkingError(
            .badServerResponse, "the continued body has \(byteCount) bytes, not \(continuedTotal)")
    }

    private func takeStep(_ discarded: Discarded) -> Step {
        switch discarded {
        case .redirect(let request):
            redirects.follow(request)
            next = request
            return .another(isRedirect: true)
        case .challenge: return .another(isRedirect: false)
        case .startAgain:
            resumption = nil
            return .another(isRedirect: false)
        case .isComplete:
            head = interruptedHead
            return .complete
        }
    }

    /// The transfer was given up by a pause: the next one goes on where it stopped, if the representation can be told;
    /// else it brings everything again, into a new sink.
    func noteInterruption() {
        defer { role = .undecided }
        guard case .body(let receiver) = role, let head else { return }
        let isPart = (head.status == 200 || isContinued) && head.contentCodings.isEmpty && prepared.first.mayBeContinued
        guard isPart, let etag = head.strongETag ?? record?.etag, receiver.sink.byteCount > 0 else { return }
        interruptedHead = head
        resumption = RangeResumption(
            offset: receiver.sink.byteCount, etag: etag, totalByteCount: head.totalByteCount ?? continuedTotal,
            responseURLDigest: PartialRecord.digest(of: head.url))
    }

    /// What the operation is given at its end.
    func result(error: NetworkingError?) -> TransferResult {
        var result = TransferResult()
        result.request = lastRequest
        result.head = head
        result.isContinued = isContinued
        result.isCredentialRefused = head?.status == 401 && next.carriesCredentials && authentication.hasAnswered
        result.receivedByteCount = sink?.byteCount ?? 0
        if let memory = sink as? MemorySink { result.content = .memory(memory.data) }
        if let file = (sink as? FileSink)?.file {
            result.content = .file(file, canContinue: record != nil)
        } else {
            result.unusedFile = files?.output
            result.keepsUnusedFile = record != nil
        }
        return result
    }

    private var lastRequest: URLRequest {
        guard redirects.hopCount > 0 else { return prepared.request }
        var request = URLRequest(url: next.url)
        request.httpMethod = next.method
        for field in next.headers.fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
        if next.hasBody { request.httpBody = prepared.request.httpBody }
        return request
    }
}

extension RedirectPolicy.Request {
    /// Whether a body that stopped may be asked for in part: only GET has ranges (RFC 9110, 14.2), and a range of the
    /// caller's own is not ours to change.
    var mayBeContinued: Bool { method == "GET" && headers["Range"] == nil }
}

extension ResponseHead {
    /// The length of the whole representation, of which this may be a part.
    fileprivate var totalByteCount: Int64? {
        switch contentRange {
        case .part(_, _, let total)?: total
        case .unsatisfied?, nil: contentLength
        }
    }
}
