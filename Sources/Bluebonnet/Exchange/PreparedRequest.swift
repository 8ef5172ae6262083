// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// A request that was checked and can go out: what is known before a file is opened or a socket. Immutable; it crosses
/// threads, and is passed on often, which is why it is no structure.
final class PreparedRequest: Sendable {
    let request: URLRequest
    /// The request's, which costs to ask for.
    let cachePolicy: URLRequest.CachePolicy
    let origin: Origin
    let first: RedirectPolicy.Request
    /// In nanoseconds; 0 is no limit.
    let idleTimeout: UInt64
    let resolvedOptions: ResolvedOptions
    let responseSerializer: ResolvedSerializer?
    let expectedDigest: String?
    /// Whether it brings anything for the response.
    let hasLateParts: Bool
    let bodyStream: BodyStreamSource?
    private let data: Data?
    /// Nil where there are no files, as mostly.
    private let named: Box<NamedFiles>?
    private let extras: (any RequestExtras)?
    private let sharedBlocks: Box<ExchangeBlocks>?
    let streamOutput: StreamOutput?
    /// What the caller's `Content-Length` says of a body that comes from a file.
    private let declaredBodyByteCount: Int64?

    /// Checks a request; touches neither file nor network.
    ///
    /// - Parameter parts: the operation's, over which the blueprint's go.
    init(_ blueprint: RequestBlueprint, parts: OperationParts) throws(NetworkingError) {
        resolvedOptions = blueprint.options ?? parts.options
        request = Self.request(blueprint.request, keepsDotSegments: resolvedOptions.keepsDotSegments)
        cachePolicy = request.cachePolicy
        (extras, sharedBlocks, streamOutput) = (parts.extras, parts.blocks, parts.streamOutput)
        if let serializer = blueprint.responseSerializer {
            responseSerializer = ResolvedSerializer(serializer)
        } else {
            responseSerializer = nil
        }
        expectedDigest = blueprint.expectedDigest
        hasLateParts = responseSerializer != nil || expectedDigest != nil
        let named = NamedFiles.make(blueprint, parts)
        self.named = named
        let hasUploadFile = named?.value.upload != nil
        data = request.httpBody?.isEmpty == false ? request.httpBody : nil
        guard let url = request.url else { throw NetworkingError(.badURL, "the request has no URL") }
        origin = try Self.origin(of: url)
        if resolvedOptions.hasPolicyTable,
            let refusal = resolvedOptions.value.securityPolicy.refusal(ofHost: origin.host)
        {
            throw refusal
        }
        if origin.isSecure { try Self.checkTLS(of: resolvedOptions, origin) }
        let method = request.httpMethod ?? "GET"
        if method != "GET" { try RequestCheck.method(method) }
        let hasStream = request.httpBodyStream != nil && !hasUploadFile
        let hasBody = hasStream || data != nil || hasUploadFile
        guard method != "HEAD" || !hasBody else {
            throw NetworkingError(.invalidRequest, "a HEAD request cannot have a body")
        }
        if let named { try named.value.check(hasStreamOutput: parts.streamOutput != nil) }
        try Self.check(resolvedOptions.value.credential)
        let sent = try SentHeaders(
            of: request, cachePolicy, ready: blueprint.readyHeaders,
            bodyByteCount: !hasUploadFile && !hasStream ? Int64(data?.count ?? 0) : nil)
        declaredBodyByteCount = sent.declaredBodyByteCount
        bodyStream =
            hasStream
            ? BodyStreamSource(
                request: request, declaredByteCount: sent.declaredBodyByteCount,
                prefersNew: parts.needsNewBodyStream) : nil
        first = RedirectPolicy.Request(method: method, url: url, headers: sent.headers, hasBody: hasBody)
        idleTimeout =
            resolvedOptions.idleTimeout ?? MonotonicClock.nanoseconds(clampingSeconds: request.timeoutInterval)
    }

    /// The request with the URL that is sent: what is cached, kept and told goes by that one.
    private static func request(_ request: URLRequest, keepsDotSegments: Bool) -> URLRequest {
        guard !keepsDotSegments, let url = request.url, let shorter = DotSegments.removed(from: url) else {
            return request
        }
        var request = request
        request.url = shorter
        return request
    }

    /// A user name stands in a header field; one that came with a response may be anything.
    private static func check(_ credential: URLCredential?) throws(NetworkingError) {
        guard let user = credential?.user, user.utf8.contains(where: FieldSyntax.isForbiddenInValue) else { return }
        throw NetworkingError(.invalidRequest, "the credential's user name has a control character in it")
    }

    /// Refuses options that contradict each other before anything is sent.
    private static func checkTLS(of options: ResolvedOptions, _ origin: Origin) throws(NetworkingError) {
        guard options.readySetup == nil else { return }  // it was checked then
        let policy = options.value.securityPolicy
        _ = try TLSSetupSource(options.value.tls, policy.policy(forHost: origin.host) ?? policy)
    }

    private static func origin(of url: URL) throws(NetworkingError) -> Origin {
        if let origin = Origin(plain: url.absoluteString) { return origin }
        try RequestCheck.check(url)
        guard let origin = Origin(url) else { throw NetworkingError(.badURL, "\(url) is no http or https URL") }
        return origin
    }

    var options: TransferOptions { resolvedOptions.value }
    var blocks: ExchangeBlocks { sharedBlocks?.value ?? ExchangeBlocks() }
    /// What an archived operation had of its body in memory.
    var continuation: ArchivedPart? { extras?.continuation }

    /// Whether the body of the response goes elsewhere than to memory.
    var hasOutput: Bool {
        streamOutput != nil || named.map { $0.value.output != nil || $0.value.outputDirectory.url != nil } ?? false
    }
}

/// The files that a request names.
private struct NamedFiles {
    let upload: URL?
    let output: URL?
    /// The path of `output`; empty when it is no file's URL.
    let outputPath: String
    let outputDirectory: OutputDirectory
    /// Whether the folder is made when it is not there.
    let createsDirectory: Bool

    static func make(_ blueprint: RequestBlueprint, _ parts: OperationParts) -> Box<NamedFiles>? {
        guard parts.extras != nil || blueprint.uploadFile != nil || blueprint.outputFile != nil else { return nil }
        let output = blueprint.outputFile ?? parts.outputFile
        let upload = blueprint.uploadFile ?? parts.uploadFile
        let path = output.flatMap { $0.isFileURL ? $0.path : nil } ?? ""
        var (directory, createsDirectory) = (parts.outputDirectory, false)
        if !path.isEmpty, directory.url == nil, output?.hasDirectoryPath == true {
            (directory.url, createsDirectory) = (output, true)
        }
        let files = NamedFiles(
            upload: upload, output: createsDirectory ? nil : output, outputPath: createsDirectory ? "" : path,
            outputDirectory: directory, createsDirectory: createsDirectory)
        let isEmpty = files.upload == nil && files.output == nil && files.outputDirectory.url == nil
        return isEmpty ? nil : Box(files)
    }

    func check(hasStreamOutput: Bool) throws(NetworkingError) {
        let (hasFile, hasDirectory) = (output != nil, outputDirectory.url != nil)
        guard !(hasFile && hasDirectory), !(hasFile || hasDirectory) || !hasStreamOutput else {
            throw NetworkingError(
                .invalidRequest, "the response's body goes to one place: a file, a directory or a stream")
        }
    }
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
        guard named == nil, proxyAuthorityFiles.isEmpty else { return nil }
        return Files(body: data.map(TransferBody.data) ?? .none)
    }

    /// The folder of the one file to open, for the response; nil where others have to be opened too.
    var onlyFolder: Substring? {
        guard let named = named?.value, named.upload == nil, named.outputDirectory.url == nil,
            proxyAuthorityFiles.isEmpty
        else { return nil }
        let path = named.outputPath
        return path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] }
    }

    /// Opens the files; not on the network thread.
    ///
    /// - Parameter isDigested: whether the digest of the body is wanted, whatever the blueprint says.
    func openFiles(isDigested: Bool) throws(NetworkingError) -> Files {
        try checkProxyAuthorities()
        let isDigested = isDigested || expectedDigest != nil
        var files = Files(body: data.map(TransferBody.data) ?? .none)
        guard let named = named?.value else { return files }
        if let url = named.upload {
            let upload = try UploadFile(path: Self.path(of: url))
            guard declaredBodyByteCount == nil || declaredBodyByteCount == upload.byteCount else {
                throw NetworkingError(
                    .invalidRequest, "Content-Length does not say the \(upload.byteCount) bytes of \(upload.path)")
            }
            files.body = .file(upload)
        }
        if let url = named.output {
            files.output = try PartialFile(
                destination: Self.checked(named.outputPath, of: url), place: url, url: first.url,
                isSynced: options.syncsFilesToDisk, isDigested: isDigested)
        }
        if let url = named.outputDirectory.url {
            let folder = try OutputFolder(
                path: Self.path(of: url), policy: named.outputDirectory.policy, isCreated: named.createsDirectory)
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
        try checked(url.isFileURL ? url.path : "", of: url)
    }

    private static func checked(_ path: String, of url: URL) throws(NetworkingError) -> String {
        guard !path.isEmpty, !path.hasByte(0) else {
            throw NetworkingError(.cannotOpenFile, "\(url) is not the URL of a file")
        }
        return path
    }
}
