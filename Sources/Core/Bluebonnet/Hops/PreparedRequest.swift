// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// A checked request that can be sent, with everything that is known before a file or a socket is opened. Immutable;
/// passed between threads. A class, because it is passed on often.
final class PreparedRequest: Sendable {
    /// The checked plan.
    let plan: RequestPlan
    /// The request with the URL that is sent. Caches, records and reports use this URL.
    let request: HTTPRequest
    /// Foundation's cache policy of the request. Stored, because reading it is slow.
    private let foundationCachePolicy: URLRequest.CachePolicy
    let origin: Origin
    /// The first hop.
    let first: HopRequest
    /// In nanoseconds; 0 means no limit.
    let idleTimeout: UInt64
    let bodyStream: BodyStreamSource?
    /// Nil without retries. If a retry block is set without a policy, this is the standard policy.
    let retryPolicy: RetryPolicy?
    private let output: Output
    /// The length in the caller's `Content-Length`, for a body from a file.
    private let declaredBodyByteCount: Int64?

    /// The destination of the body of an accepted response.
    private enum Output: Sendable {
        case memory
        /// The path is empty if the URL is not a file URL.
        case file(URL, path: String)
        /// The response names the file in the folder. The folder is created if `isCreated`.
        case folder(URL, isCreated: Bool)
        case stream(StreamOutput)
    }

    /// Checks a plan that has its request; accesses neither file nor network.
    init(_ plan: RequestPlan) throws(NetworkingError) {
        guard case .request(let given, let fields) = plan.source else { preconditionFailure("a request is made once") }
        var plan = plan
        plan.serializer = plan.effectiveSerializer
        self.plan = plan
        let request = Self.sent(given, keepsDotSegments: plan.options.keepsDotSegments)
        (self.request, foundationCachePolicy) = (request, request.cachePolicy)
        origin = try Self.checkedOrigin(of: request.url, for: plan.options)
        let hasFile = plan.uploadFile != nil
        let hasStream = request.bodyStream != nil && !hasFile
        let data = request.body?.isEmpty == false && !hasFile && !hasStream ? request.body : nil
        let hasBody = hasFile || hasStream || data != nil
        try Self.check(request.method, hasBody: hasBody)
        output = try Self.output(of: plan)
        try Self.check(plan.options.value.credential)
        let sent = try request.sentHeaders(
            fields, bodyByteCount: hasFile || hasStream ? nil : Int64(data?.count ?? 0))
        declaredBodyByteCount = sent.declaredBodyByteCount
        bodyStream =
            hasStream
            ? BodyStreamSource(
                request: request, declaredByteCount: sent.declaredBodyByteCount, prefersNew: plan.needsNewBodyStream)
            : nil
        try bodyStream?.checkTrailers(plan.options.value.httpVersion)
        first = HopRequest(
            HTTPRequest(
                request.method, url: request.url, headers: try Self.headers(sent.headers, of: request, plan),
                body: data),
            hasBody: hasBody)
        retryPolicy = Self.retryPolicy(of: plan)
        idleTimeout = plan.options.timeouts.idle(requestInterval: request.timeoutInterval)
    }
}

// MARK: - Checks

extension PreparedRequest {
    private static func headers(
        _ sent: HeaderFields, of request: HTTPRequest, _ plan: RequestPlan
    ) throws(NetworkingError) -> HeaderFields {
        var headers = sent
        if !plan.options.value.decodesContent, !request.headers.contains(name: "Accept-Encoding") {
            headers["Accept-Encoding"] = "identity"
        }
        guard let key = plan.idempotencyKey else { return headers }
        try RequestCheck.idempotencyKey(key.value)
        headers[HeaderFields.idempotencyKeyName] = key.value
        return headers
    }

    private static func retryPolicy(of plan: RequestPlan) -> RetryPolicy? {
        let policy = plan.options.retryPolicy ?? (plan.blocks.retry == nil ? nil : .standard)
        return policy.flatMap { $0.maximumAttemptCount > 1 ? $0 : nil }
    }

    private static func sent(_ request: HTTPRequest, keepsDotSegments: Bool) -> HTTPRequest {
        guard !keepsDotSegments, let shorter = DotSegments.removed(from: request.url) else { return request }
        var request = request
        request.url = shorter
        return request
    }

    /// Returns the origin of a URL, if these options allow requests to it.
    static func checkedOrigin(of url: URL, for options: ResolvedOptions) throws(NetworkingError) -> Origin {
        let origin = try origin(of: url)
        if let contradiction = options.contradiction { throw contradiction }
        if options.hasHostPolicies, let refusal = options.value.securityPolicy.refusal(ofHost: origin.host) {
            throw refusal
        }
        if origin.isSecure { try checkTLS(of: options, origin) }
        return origin
    }

    private static func origin(of url: URL) throws(NetworkingError) -> Origin {
        if let origin = Origin(plain: url.absoluteString) { return origin }
        try RequestCheck.check(url)
        guard let origin = Origin(url) else {
            throw NetworkingError(.badURL, "\(Redaction.url(url.absoluteString)) is not an http or https URL")
        }
        return origin
    }

    /// Refuses contradictory options before anything is sent.
    private static func checkTLS(of options: ResolvedOptions, _ origin: Origin) throws(NetworkingError) {
        guard options.readySetup == nil else { return }  // checked when the setup was made
        let policy = options.value.securityPolicy
        _ = try TLSSetupSource(options.value.tls, policy.policy(forHost: origin.host) ?? policy)
    }

    static func check(_ method: String, hasBody: Bool) throws(NetworkingError) {
        if method != "GET" { try RequestCheck.method(method) }
        // A TRACE request has no body (RFC 9110, 9.3.8).
        guard !hasBody || method != "HEAD" && method != "TRACE" else {
            throw NetworkingError(.invalidRequest, "a \(method) request cannot have a body")
        }
    }

    private static func output(of plan: RequestPlan) throws(NetworkingError) -> Output {
        var outputs: [Output] = []
        if let url = plan.outputFile {
            let path = url.isFileURL ? url.path : ""
            let isFolder = !path.isEmpty && url.hasDirectoryPath
            outputs.append(isFolder ? .folder(url, isCreated: true) : .file(url, path: path))
        }
        if let url = plan.files.outputDirectory.url { outputs.append(.folder(url, isCreated: false)) }
        if let stream = plan.streamedOutput { outputs.append(.stream(stream)) }
        guard outputs.count < 2 else {
            throw NetworkingError(
                .invalidRequest, "the response body has one destination: a file, a directory or a stream")
        }
        return outputs.first ?? .memory
    }

    /// A user name is part of a header field. A user name from a response may contain any characters.
    private static func check(_ credential: URLCredential?) throws(NetworkingError) {
        guard let user = credential?.user, user.utf8.contains(where: FieldSyntax.isForbiddenInValue) else { return }
        throw NetworkingError(.invalidRequest, "the credential's user name contains a control character")
    }
}

extension PreparedRequest {
    /// The cache policy: the request's own, otherwise the policy of the options.
    var cachePolicy: CachePolicy {
        switch foundationCachePolicy {
        case .useProtocolCachePolicy: options.cachePolicy
        case .returnCacheDataElseLoad: .forceCache
        case .returnCacheDataDontLoad: .onlyIfCached
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: .reload
        case .reloadRevalidatingCacheData: .revalidate
        @unknown default: options.cachePolicy
        }
    }

    /// Whether a reload is not mentioned in the request, so that intermediate caches may answer it.
    var isReloadedSilently: Bool { foundationCachePolicy == .reloadIgnoringLocalCacheData }

    var resolvedOptions: ResolvedOptions { plan.options }
    var options: TransferOptions { plan.options.value }
    var blocks: RequestBlocks { plan.blocks }
    /// The handler of the body's pieces.
    var pieces: (@Sendable (RequestBlocks.Owner, Data) -> Void)? { blocks.receivedData?.call }
    var asksAboutResponse: Bool { blocks.response != nil }
    /// Whether the request body comes from a stream or a file.
    var hasFixedBody: Bool { bodyStream != nil || plan.uploadFile != nil }
    /// The request body, if it comes from a stream or a file.
    var fixedBody: OutgoingBody? {
        if let file = plan.uploadFile { return OutgoingBody(.file(file)) }
        return bodyStream.map { source in
            OutgoingBody(.stream, makeStream: { [again = blocks.needNewBodyStream] in source.makeReplay(again) })
        }
    }
    /// The part of the body that an archived operation had in memory.
    var continuation: ArchivedPart? { plan.continuation }

    /// Whether the response body goes to another destination than memory.
    var hasOutput: Bool { if case .memory = output { false } else { true } }

    var streamOutput: StreamOutput? { if case .stream(let stream) = output { stream } else { nil } }

    /// Returns the destination of the body of a response with this status. Without a serializer no status is refused.
    func bodyDestination(ofStatus status: Int) -> BodyDestination {
        guard let serializer = plan.serializer else { return (200...299).contains(status) ? .output : .memory }
        return serializer.validation.accepts(status: status) ? .output : .error
    }
}

// MARK: - Files

extension PreparedRequest {
    /// The files that the transfers read and write.
    struct Files: Sendable {
        /// The request body, if it comes from a file.
        var body = TransferBody.none
        /// The file for the body of an accepted response.
        var output: PartialFile?
        /// The device for the body of an accepted response, instead of a file.
        var device: DeviceFile?

        /// Discards the files of a request that is not sent.
        func giveUp() {
            output?.keepOrRemove(canContinue: output?.initialRecord != nil)
        }
    }

    /// An empty list of files for a request that needs none. Nil if there are files to open, or to read for a proxy,
    /// which may block.
    var filesWithoutOpening: Files? {
        guard plan.uploadFile == nil, !readsForProxy else { return nil }
        switch output {
        case .memory, .stream: return Files()
        case .file, .folder: return nil
        }
    }

    /// The folder of the only file to open, for the response; nil if other files have to be opened too.
    var onlyFolder: Substring? {
        guard plan.uploadFile == nil, !readsForProxy, case .file(_, let path) = output else { return nil }
        return path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] }
    }

    /// Opens the files; not on the network thread.
    func openFiles() throws(NetworkingError) -> Files {
        for source in try missingProxyTLS { _ = try TLSSetupCache.shared.load(source) }
        var files = Files()
        if let url = plan.uploadFile {
            let upload = try UploadFile(path: Self.path(of: url))
            guard declaredBodyByteCount == nil || declaredBodyByteCount == upload.byteCount else {
                throw NetworkingError(
                    .invalidRequest, "Content-Length does not match the \(upload.byteCount) bytes of \(upload.path)")
            }
            files.body = .file(FileFeed(upload))
        }
        let (isSynced, isDigested) = (options.syncsFilesToDisk, plan.wantsDigest || plan.expectedDigest != nil)
        switch output {
        case .memory, .stream: break
        case .file(let url, _):
            let path = try Self.path(of: url)
            let existing = try ExistingFile(path)
            if existing == .device {
                files.device = try DeviceFile(path, place: url, isDigested: isDigested)
            } else {
                files.output = try openOutput(at: url, existing)
            }
        case .folder(let url, let isCreated):
            let folder = try OutputFolder(
                path: Self.path(of: url), policy: plan.files.outputDirectory.policy, isCreated: isCreated)
            files.output = try PartialFile(
                folder: folder, url: first.url, isSynced: isSynced, isDigested: isDigested)
        }
        return files
    }

    /// Whether files have to be read for an https proxy. True after an error, which is then reported when the files are
    /// read.
    private var readsForProxy: Bool {
        guard plan.options.hasSecureProxies else { return false }
        do throws(NetworkingError) { return try !missingProxyTLS.isEmpty } catch { return true }
    }

    /// Opens the file for the body; not on the network thread.
    ///
    /// - Parameter existing: the kind of the existing file, if it is known.
    func openOutput(at url: URL, _ existing: ExistingFile? = nil) throws(NetworkingError) -> PartialFile {
        try PartialFile(
            destination: Self.path(of: url), callerURL: url, existing: existing, url: first.url,
            isSynced: options.syncsFilesToDisk, isDigested: plan.wantsDigest || plan.expectedDigest != nil)
    }

    /// The TLS files of https proxies that have not been read yet. A redirect may use another proxy than the first hop.
    private var missingProxyTLS: [TLSSetupSource] {
        get throws(NetworkingError) {
            guard plan.options.hasSecureProxies else { return [] }
            var sources: [TLSSetupSource] = []
            for proxy in options.possibleProxies {
                guard let source = try proxy.tlsSource, TLSSetupCache.shared.ready(source) == nil else { continue }
                sources.append(source)
            }
            return sources
        }
    }

    private static func path(of url: URL) throws(NetworkingError) -> String {
        try checked(url.isFileURL ? url.path : "", of: url)
    }

    private static func checked(_ path: String, of url: URL) throws(NetworkingError) -> String {
        guard !path.isEmpty, !path.hasByte(0) else {
            throw NetworkingError(.cannotOpenFile, "\(url) is not a file URL")
        }
        return path
    }
}
