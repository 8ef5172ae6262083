// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// A request that was checked and can go out: what is known before a socket opens. Crosses threads.
struct PreparedRequest: Sendable {
    let request: URLRequest
    let origin: Origin
    let first: RedirectPolicy.Request
    let body: TransferBody
    let idleTimeout: Duration
    let options: TransferOptions
    let responseSerializer: (any ResponseSerializer)?
    let expectedDigest: String?
    /// The file for the body of an accepted response.
    let file: PartialFile?

    /// Checks a request and opens its files; may block for as long as the file system does.
    ///
    /// - Parameter options: those of the operation, over which the blueprint's go.
    init(_ blueprint: RequestBlueprint, options operationOptions: TransferOptions) throws(NetworkingError) {
        let request = blueprint.request
        options = blueprint.options ?? operationOptions
        responseSerializer = blueprint.responseSerializer
        expectedDigest = blueprint.expectedDigest
        guard let url = request.url else { throw NetworkingError(.badURL, "the request has no URL") }
        try RequestCheck.check(url)
        guard let origin = Origin(url) else { throw NetworkingError(.badURL, "\(url) is no http or https URL") }
        let method = request.httpMethod ?? "GET"
        try RequestCheck.method(method)
        body = try Self.body(of: request, uploadFile: blueprint.uploadFile)
        let given = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        let fields = try RequestCheck.fields(given, bodyByteCount: body.byteCount)
        var headers = HTTPHeaders()
        for field in Self.withDefaults(fields.sent) { headers[field.name] = field.value }
        first = RedirectPolicy.Request(method: method, url: url, headers: headers, hasBody: body.byteCount > 0)
        self.origin = origin
        self.request = request
        idleTimeout = options.idleTimeout ?? .seconds(request.timeoutInterval)
        try Self.checkFiles(of: options)
        file = try blueprint.outputFile.map { output throws(NetworkingError) in
            try PartialFile(destination: Self.path(of: output), url: url)
        }
    }

    /// Takes away what was made for a request that will not be sent.
    func giveUp() {
        file?.keepOrRemove(canContinue: file?.initialRecord != nil)
    }

    /// Whether preparing has to look at the file system, which may block.
    static func needsFiles(uploadFile: URL?, outputFile: URL?, options: TransferOptions) -> Bool {
        uploadFile != nil || outputFile != nil || options.securityPolicy.certificateAuthorityFile != nil
    }

    private static func body(of request: URLRequest, uploadFile: URL?) throws(NetworkingError) -> TransferBody {
        if let uploadFile { return .file(try UploadFile(path: path(of: uploadFile))) }
        guard request.httpBodyStream == nil else {
            throw NetworkingError(
                .invalidRequest, "a body stream cannot be sent by this version; give the body as data or as a file")
        }
        guard let data = request.httpBody, !data.isEmpty else { return .none }
        return .data(data)
    }

    private static func path(of url: URL) throws(NetworkingError) -> String {
        guard url.isFileURL, !url.path.isEmpty, !url.path.contains("\0") else {
            throw NetworkingError(.cannotOpenFile, "\(url) is not the URL of a file")
        }
        return url.path
    }

    /// libcurl would only notice at the first handshake, and then call it something else.
    private static func checkFiles(of options: TransferOptions) throws(NetworkingError) {
        guard let path = options.securityPolicy.certificateAuthorityFile else { return }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw NetworkingError(.invalidSecurityPolicy, "cannot read the certificate authorities in \(path)")
        }
    }

    /// Adds what every request carries unless its caller said otherwise.
    private static func withDefaults(_ fields: [(name: String, value: String)]) -> [(name: String, value: String)] {
        func isMissing(_ name: String) -> Bool {
            !fields.contains { FieldSyntax.isSameName($0.name, name) }
        }
        var all = fields
        if isMissing("Accept-Encoding") { all.append(("Accept-Encoding", ContentDecoder.acceptedCodings)) }
        if isMissing("User-Agent"), let agent = DefaultHeaders.ofThisProcess["User-Agent"] {
            all.append(("User-Agent", agent))
        }
        return all
    }
}
