// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// A request that was checked and can go out: what is known before a file is opened or a socket. Immutable; it crosses
/// threads, and is passed on often, which is why it is no structure.
final class PreparedRequest: Sendable {
    let request: URLRequest
    let origin: Origin
    let first: RedirectPolicy.Request
    let idleTimeout: Duration
    let sharedOptions: SharedOptions
    let responseSerializer: (any ResponseSerializer)?
    /// The serializer's, asked for here: it is a user's code, which the network thread must not run.
    let validation: ResponseValidation?
    let expectedDigest: String?
    let bodyStream: BodyStreamSource?
    private let data: Data?
    private let uploadFile: URL?
    private let outputFile: URL?
    private let parts: OperationParts
    /// What the caller's `Content-Length` says of a body that comes from a file.
    private let declaredBodyByteCount: Int64?

    /// Checks a request; touches neither file nor network.
    ///
    /// - Parameter parts: the operation's, over which the blueprint's go.
    init(_ blueprint: RequestBlueprint, parts: OperationParts) throws(NetworkingError) {
        request = blueprint.request
        sharedOptions = blueprint.options.map(SharedOptions.init) ?? parts.options
        self.parts = parts
        responseSerializer = blueprint.responseSerializer
        validation = blueprint.responseSerializer?.validation
        expectedDigest = blueprint.expectedDigest
        uploadFile = blueprint.uploadFile ?? parts.uploadFile
        outputFile = blueprint.outputFile ?? parts.outputFile
        data = request.httpBody?.isEmpty == false ? request.httpBody : nil
        guard let url = request.url else { throw NetworkingError(.badURL, "the request has no URL") }
        origin = try Self.origin(of: url)
        if let refusal = sharedOptions.value.securityPolicy.refusal(ofHost: origin.host) { throw refusal }
        if origin.scheme == "https" { try Self.checkTLS(of: sharedOptions.value, origin) }
        let method = request.httpMethod ?? "GET"
        try RequestCheck.method(method)
        let hasStream = request.httpBodyStream != nil && uploadFile == nil
        let hasBody = hasStream || data != nil || uploadFile != nil
        guard method != "HEAD" || !hasBody else {
            throw NetworkingError(.invalidRequest, "a HEAD request cannot have a body")
        }
        let hasFile = outputFile != nil
        let hasDirectory = parts.outputDirectory.url != nil
        guard !(hasFile && hasDirectory), !(hasFile || hasDirectory) || parts.streamOutput == nil else {
            throw NetworkingError(
                .invalidRequest, "the response's body goes to one place: a file, a directory or a stream")
        }
        try Self.check(sharedOptions.value.credential)
        let fields = try RequestCheck.fields(
            Self.fields(of: request),
            bodyByteCount: uploadFile == nil && !hasStream ? Int64(data?.count ?? 0) : nil)
        declaredBodyByteCount = fields.declaredBodyByteCount
        bodyStream =
            hasStream
            ? BodyStreamSource(
                request: request, declaredByteCount: fields.declaredBodyByteCount,
                prefersNew: parts.needsNewBodyStream) : nil
        first = RedirectPolicy.Request(
            method: method, url: url, headers: Self.withDefaults(fields.sent, request.cachePolicy), hasBody: hasBody)
        idleTimeout = sharedOptions.value.idleTimeout ?? Duration(clampingSeconds: request.timeoutInterval)
    }

    /// A user name stands in a header field; one that came with a response may be anything.
    private static func check(_ credential: URLCredential?) throws(NetworkingError) {
        guard let user = credential?.user, user.utf8.contains(where: FieldSyntax.isForbiddenInValue) else { return }
        throw NetworkingError(.invalidRequest, "the credential's user name has a control character in it")
    }

    /// Refuses options that contradict each other before anything is sent.
    private static func checkTLS(of options: TransferOptions, _ origin: Origin) throws(NetworkingError) {
        _ = try TLSSetupSource(
            options.tls, options.securityPolicy.policy(forHost: origin.host) ?? options.securityPolicy)
    }

    private static func origin(of url: URL) throws(NetworkingError) -> Origin {
        if let origin = Origin(plain: url.absoluteString) { return origin }
        try RequestCheck.check(url)
        guard let origin = Origin(url) else { throw NetworkingError(.badURL, "\(url) is no http or https URL") }
        return origin
    }

    static func fields(of request: URLRequest) -> [(name: String, value: String)] {
        (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    /// What most requests carry: those whose caller said nothing.
    private static let plainHeaders: HTTPHeaders = [
        "Accept-Encoding": ContentDecoder.acceptedCodings,
        "User-Agent": DefaultHeaders.ofThisProcess["User-Agent"] ?? "",
    ]

    /// Adds what every request carries unless its caller said otherwise.
    static func withDefaults(
        _ fields: [(name: String, value: String)], _ cachePolicy: URLRequest.CachePolicy
    ) -> HTTPHeaders {
        if fields.isEmpty, cachePolicy != .reloadIgnoringLocalAndRemoteCacheData { return plainHeaders }
        var headers = HTTPHeaders()
        for field in fields { headers[field.name] = field.value }
        if headers["Accept-Encoding"] == nil { headers["Accept-Encoding"] = ContentDecoder.acceptedCodings }
        if headers["User-Agent"] == nil { headers["User-Agent"] = DefaultHeaders.ofThisProcess["User-Agent"] }
        // Caches on the way are told only what their client may say (RFC 9111, 5.2.1.4 and 5.4).
        if cachePolicy == .reloadIgnoringLocalAndRemoteCacheData, headers["Cache-Control"] == nil {
            headers["Cache-Control"] = "no-cache"
            headers["Pragma"] = "no-cache"
        }
        return headers
    }

    var options: TransferOptions { sharedOptions.value }
    var blocks: OperationBlocks { parts.blocks }
    var streamOutput: StreamOutput? { parts.streamOutput }
    /// What an archived operation had of its body in memory.
    var continuation: ArchivedPart? { parts.continuation }
    private var outputDirectory: OutputDirectory { parts.outputDirectory }

    /// Whether the body of the response goes elsewhere than to memory.
    var hasOutput: Bool { outputFile != nil || outputDirectory.url != nil || streamOutput != nil }
}

// MARK: - Files

extension PreparedRequest {
    /// What the transfers read from and write to.
    struct Files: Sendable {
        var body: TransferBody
        /// For the body of an accepted response.
        var output: PartialFile?

        /// Takes away what was made for a request that will not be sent.
        func giveUp() {
            output?.keepOrRemove(canContinue: output?.initialRecord != nil)
        }
    }

    /// The files of a request that has none; nil when there are some to open, which may block.
    var filesWithoutOpening: Files? {
        guard uploadFile == nil, outputFile == nil, outputDirectory.url == nil, proxyAuthorityFiles.isEmpty else {
            return nil
        }
        return Files(body: data.map(TransferBody.data) ?? .none)
    }

    /// Opens the files; not on the network thread.
    ///
    /// - Parameter isDigested: whether the digest of the body is wanted, whatever the blueprint says.
    func openFiles(isDigested: Bool) throws(NetworkingError) -> Files {
        try checkProxyAuthorities()
        let isDigested = isDigested || expectedDigest != nil
        var files = Files(body: data.map(TransferBody.data) ?? .none)
        if let uploadFile {
            let upload = try UploadFile(path: Self.path(of: uploadFile))
            guard declaredBodyByteCount == nil || declaredBodyByteCount == upload.byteCount else {
                throw NetworkingError(
                    .invalidRequest, "Content-Length does not say the \(upload.byteCount) bytes of \(upload.path)")
            }
            files.body = .file(upload)
        }
        if let outputFile {
            files.output = try PartialFile(
                destination: Self.path(of: outputFile), url: first.url, isSynced: options.syncsFilesToDisk,
                isDigested: isDigested)
        }
        if let url = outputDirectory.url {
            let folder = try OutputFolder(path: Self.path(of: url), policy: outputDirectory.policy)
            files.output = try PartialFile(
                folder: folder, url: first.url, isSynced: options.syncsFilesToDisk, isDigested: isDigested)
        }
        return files
    }

    private var proxyAuthorityFiles: [String] { options.proxy?.securityPolicy.authorityFiles ?? [] }

    /// libcurl would only notice at the first handshake, and then call it something else.
    private func checkProxyAuthorities() throws(NetworkingError) {
        for path in proxyAuthorityFiles where !FileManager.default.isReadableFile(atPath: path) {
            throw NetworkingError(.invalidSecurityPolicy, "cannot read the certificate authorities in \(path)")
        }
    }

    private static func path(of url: URL) throws(NetworkingError) -> String {
        guard url.isFileURL, !url.path.isEmpty, !url.path.contains("\0") else {
            throw NetworkingError(.cannotOpenFile, "\(url) is not the URL of a file")
        }
        return url.path
    }
}
