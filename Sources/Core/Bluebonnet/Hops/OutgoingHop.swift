// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Opens and reads the files that are needed before a hop: the request's files, once, and the files for TLS. A value
/// that is passed between threads.
struct HopOpening: Sendable {
    /// The opened and read files; nil for files that existed before.
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

    /// The folder of the only file to open; nil if other files have to be opened or read too.
    var onlyFolder: Substring? { tls == nil ? prepared.onlyFolder : nil }

    /// Opens and reads the files; not on the network thread.
    func open() -> Result<Opened, NetworkingError> {
        Result { () throws(NetworkingError) in
            // TLS first: an error there must not leave an output file.
            let setup = try tls.map { source throws(NetworkingError) in
                (source: source, made: try TLSSetupCache.shared.load(source.value))
            }
            return Opened(
                files: needsFiles ? try prepared.openFiles() : nil, setup: setup,
                isPausedFileChanged: pausedFile?.isAsWritten == false)
        }
    }
}

/// The parts of each hop of one hop sequence besides its header section: body, TLS and limits. Part of its hop
/// sequence; network thread only.
struct OutgoingHop {
    private let prepared: PreparedRequest
    /// Nil until the files were opened.
    private var files: PreparedRequest.Files?
    private var tls = HopTLS()
    private var feed: BodyFeed?
    /// Whether a streamed body was already sent again because the connection was closed.
    private var wasSentAgain = false

    init(_ prepared: PreparedRequest) { self.prepared = prepared }

    /// Returns the files to open and read, off the network thread, before a hop to `origin`; nil if nothing has to be
    /// opened or read.
    mutating func opening(
        for origin: Origin, pausedFile: PartialFile?
    ) throws(NetworkingError) -> HopOpening? {
        if files == nil { files = prepared.filesWithoutOpening }
        let missing = try tls.missing(for: origin, with: prepared.resolvedOptions)
        if missing == nil, files != nil, pausedFile == nil { return nil }
        return HopOpening(prepared: prepared, needsFiles: files == nil, tls: missing, pausedFile: pausedFile)
    }

    /// Returns the files to open, off the network thread, for a stored response; nil if there are none.
    mutating func openingForStored() -> HopOpening? {
        if files == nil { files = prepared.filesWithoutOpening }
        return files == nil ? HopOpening(prepared: prepared, needsFiles: true, tls: nil, pausedFile: nil) : nil
    }

    mutating func store(_ opened: HopOpening.Opened) {
        if let files = opened.files { self.files = files }
        if let setup = opened.setup { tls.store(setup.made, of: setup.source) }
    }

    /// Records a redirect to another origin.
    mutating func leaveOrigin() { tls.leaveOrigin() }

    // MARK: The body

    /// Returns the body of a hop. A stream that was already read is made again.
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

    /// Returns the length of the body that is sent; -1 if it is not known.
    func bodyByteCount(of hops: HopChain) -> Int64 {
        if let data = hops.request.body { return Int64(data.count) }
        if let source = prepared.bodyStream { return source.declaredByteCount ?? -1 }
        return files?.body.byteCount ?? 0
    }

    /// Allows one more transfer if the connection was closed before the server can have read the request, and a
    /// streamed body has to be sent from its start. For other bodies libcurl repeats the request itself.
    ///
    /// - Returns: whether another transfer is made.
    mutating func consumeResend(after error: NetworkingError) -> Bool {
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

    /// Prepares the body for a later attempt, which makes a streamed body again and, unless `keepsFiles`, opens the
    /// files again.
    mutating func leaveBody(keepsFiles: Bool) {
        if feed?.isTouched == true { feed?.cancel() }
        guard !keepsFiles else { return }
        files?.giveUp()
        files = nil
    }

    // MARK: Limits and connections

    /// - Parameter isPaced: whether the transfer has a rate limit.
    func limits(of hops: HopChain, deadline: UInt64, isPaced: Bool) -> TransferRequest.Limits {
        let options = prepared.resolvedOptions
        return TransferRequest.Limits(
            httpVersion: options.value.httpVersion, connectTimeout: options.timeouts.connect,
            idleTimeout: prepared.idleTimeout, deadline: deadline,
            headerByteLimit: options.value.maximumHeaderByteCount,
            expectsLargeBody: files?.output != nil || files?.device != nil || prepared.streamOutput != nil,
            isPaced: isPaced, lowSpeed: options.value.lowSpeedLimit, needsNewConnection: hops.needsNewConnection)
    }

    /// Whether a hop may share its connection with concurrent hops, as in HTTP/2.
    private func canShareConnection(to origin: Origin) -> Bool {
        switch prepared.resolvedOptions.value.httpVersion {
        case .http1: false
        case .negotiated: origin.isSecure
        case .http2, .http2PriorKnowledge: true
        }
    }

    /// Returns the connection pool key of the next hop: the key shared by all operations with the same options, unless
    /// this operation's own key differs.
    ///
    /// - Parameter isPaced: whether the transfer has a rate limit.
    func poolKey(to origin: Origin, _ trustAnswers: TrustAnswers?, isPaced: Bool) -> PoolKeyBox {
        let shared = prepared.resolvedOptions
        let isExclusive = isPaced || (prepared.streamOutput != nil && canShareConnection(to: origin))
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
