// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// What has to be opened and read before a hop: the request's files, once, and what TLS needs. A value that crosses
/// threads.
struct HopOpening: Sendable {
    /// What was opened and read; nil what was there before.
    struct Opened: Sendable {
        let files: PreparedRequest.Files?
        let setup: (source: Box<TLSSetupSource>, made: TLSSetup)?
        /// Whether another process has written to the file of a paused body.
        let isPausedFileChanged: Bool
    }

    let prepared: PreparedRequest
    let needsFiles: Bool
    let tls: Box<TLSSetupSource>?
    /// The file of a body that is continued after a pause.
    let pausedFile: PartialFile?

    /// The folder of the one file to open; nil where others have to be opened or read too.
    var onlyFolder: Substring? { tls == nil ? prepared.onlyFolder : nil }

    /// Opens and reads; not on the network thread.
    func open() -> Result<Opened, NetworkingError> {
        Result { () throws(NetworkingError) in
            // TLS first: what fails there must not leave a file behind.
            let setup = try tls.map { source throws(NetworkingError) in
                (source: source, made: try TLSSetupCache.shared.load(source.value))
            }
            return Opened(
                files: needsFiles ? try prepared.openFiles() : nil, setup: setup,
                isPausedFileChanged: pausedFile?.isAsWritten == false)
        }
    }
}

/// What goes out with each hop of one exchange besides its header section: body, TLS and limits. A part of its
/// exchange; network thread only.
struct OutgoingHop {
    private let prepared: PreparedRequest
    /// Nil until they were opened.
    private var files: PreparedRequest.Files?
    private var tls = HopTLS()
    private var feed: BodyFeed?
    /// Whether a streamed body was sent once more because the connection was closed.
    private var wasSentAgain = false

    init(_ prepared: PreparedRequest) { self.prepared = prepared }

    /// What has to be opened and read, off the network thread, before a hop to `origin`; nil when nothing has to be.
    mutating func opening(
        for origin: Origin, pausedFile: PartialFile?
    ) throws(NetworkingError) -> HopOpening? {
        if files == nil { files = prepared.filesWithoutOpening }
        let missing = try tls.missing(for: origin, with: prepared.resolvedOptions)
        if missing == nil, files != nil, pausedFile == nil { return nil }
        return HopOpening(prepared: prepared, needsFiles: files == nil, tls: missing, pausedFile: pausedFile)
    }

    mutating func take(_ opened: HopOpening.Opened) {
        if let files = opened.files { self.files = files }
        if let setup = opened.setup { tls.take(setup.made, of: setup.source) }
    }

    /// A redirect leads to another origin.
    mutating func leaveOrigin() { tls.leaveOrigin() }

    // MARK: The body

    /// The body of a hop. A stream that was read before is made again.
    mutating func body(of hop: HopRequest) -> TransferBody {
        guard hop.hasBody else { return .none }
        if let data = hop.body { return .data(data) }
        guard let source = prepared.bodyStream else { return files?.body ?? .none }
        if let feed, !feed.isTouched { return .stream(feed) }
        feed?.cancel()
        let made = source.makeFeed(isFirst: feed == nil, again: prepared.blocks.needNewBodyStream)
        feed = made
        return .stream(made)
    }

    /// The length of the body that goes out, -1 when it is not known.
    func bodyByteCount(of hops: HopChain) -> Int64 {
        if let data = hops.request.body { return Int64(data.count) }
        if let source = prepared.bodyStream { return source.declaredByteCount ?? -1 }
        return files?.body.byteCount ?? 0
    }

    /// Whether a transfer is made once more, because the connection was closed before the server can have read the
    /// request, and a streamed body is needed from its start. libcurl does so by itself for other bodies.
    mutating func isSentAgain(after error: NetworkingError) -> Bool {
        guard error.underlying is BodyNeededAgain, !wasSentAgain else { return false }
        wasSentAgain = true
        return true
    }

    /// Whether the body of a hop can be sent from its start again.
    func canRepeatBody(of hops: HopChain) -> Bool {
        guard hops.request.hasBody, hops.request.body == nil, let source = prepared.bodyStream else { return true }
        return feed?.isTouched != true || prepared.blocks.needNewBodyStream != nil || source.isReplayable
    }

    /// Stops reading a streamed body.
    func giveUpBody() { feed?.cancel() }

    /// Another attempt comes later: it makes a streamed body again, and opens the files.
    mutating func leaveBody(keepsFiles: Bool) {
        if feed?.isTouched == true { feed?.cancel() }
        guard !keepsFiles else { return }
        files?.giveUp()
        files = nil
    }

    // MARK: Limits and connections

    /// - Parameter isPaced: whether the transfer is under a limit of bytes a second.
    func limits(of hops: HopChain, deadline: UInt64, isPaced: Bool) -> TransferRequest.Limits {
        let options = prepared.resolvedOptions
        return TransferRequest.Limits(
            httpVersion: options.value.httpVersion, connectTimeout: options.timeouts.connect,
            idleTimeout: prepared.idleTimeout, deadline: deadline,
            headerByteLimit: options.value.maximumHeaderByteCount,
            expectsLargeBody: files?.output != nil || files?.device != nil || prepared.streamOutput != nil,
            isPaced: isPaced, lowSpeed: options.value.lowSpeedLimit, needsNewConnection: hops.needsNewConnection)
    }

    /// Whether a hop may be one of several at the same time on its connection, which HTTP/2 makes possible.
    private func mayShareConnection(to origin: Origin) -> Bool {
        switch prepared.resolvedOptions.value.httpVersion {
        case .http1: false
        case .negotiated: origin.isSecure
        case .http2, .http2PriorKnowledge: true
        }
    }

    /// The connection pool key of the next hop: the one shared by all operations with the same options, unless this
    /// operation's own differs.
    ///
    /// - Parameter isPaced: whether the transfer is under a limit of bytes a second.
    func poolKey(to origin: Origin, _ trustAnswers: TrustAnswers?, isPaced: Bool) -> PoolKeyBox {
        let shared = prepared.resolvedOptions
        let isExclusive = isPaced || (prepared.streamOutput != nil && mayShareConnection(to: origin))
        if trustAnswers == nil, !tls.hasLeftOrigin, !shared.hasHopKeys {
            return shared.poolKey(with: tls.setup, isExclusive: isExclusive)
        }
        var poolKey = shared.value.poolKey(to: origin)
        poolKey.trustAnswers = trustAnswers
        poolKey.isExclusive = isExclusive
        tls.complete(&poolKey)
        return PoolKeyBox(poolKey)
    }
}

@available(*, unavailable)
extension OutgoingHop: Sendable {}
