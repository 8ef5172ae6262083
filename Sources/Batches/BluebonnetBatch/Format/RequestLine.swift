// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet

/// One request of a batch, as a line of a batch file describes it.
///
/// ```swift
/// var line = RequestLine(id: "me", url: "https://api.example.com/me")
/// line.headers["Authorization"] = "Bearer ${login.body.token}"
/// line.timeout = 10
/// ```
///
/// Any string value can refer to the responses of earlier operations; see `ReferenceTemplate`. Encoding omits members
/// with default values. Decoding is strict: an unknown or ill-typed member is an error.
public struct RequestLine: Sendable, Hashable, Codable {
    /// The maximum number of redirects followed, if the line does not set one.
    public static let defaultRedirects = 20

    /// The name of the operation, unique in the batch; nil means the number of the line.
    public var id: String?
    /// The URL of the request: absolute, or relative to the base URL of the batch.
    public var url: String
    /// The HTTP method.
    public var method = "GET"
    /// Headers that are added to the request serializer's, and replace headers of the same name.
    public var headers: HeaderFields = [:]
    /// Parameters that the request serializer encodes into the URL.
    public var query: JSONObject?
    /// The request's body.
    public var body: Body?
    /// The ids of the operations that must have succeeded before this one starts.
    public var after: [String] = []
    /// The path of the file that the response body is streamed to; nil keeps the body in memory. A path that ends in a
    /// slash, `.` or `..` names a folder, which is created if it does not exist; the response then names the file. A
    /// tilde has no special meaning.
    public var output: String?
    /// The conditions that the response must meet.
    public var expect: Expectation?
    /// The maximum time for the whole operation, in seconds; nil means the batch's.
    public var timeout: Double?
    /// The maximum time for making a connection, in seconds; nil means the batch's.
    public var connectTimeout: Double?
    /// The maximum time without a byte sent or received, in seconds; nil means the batch's.
    public var idleTimeout: Double?
    /// The maximum size of a decoded body kept in memory, in bytes; nil means the batch's limit.
    public var maxBody: Int?
    /// Whether content codings of the response are decoded; false delivers the bytes as received, nil means the
    /// batch's setting.
    public var decode: Bool?
    /// How the batch's cache is used; nil means the batch's policy. A batch with the policy `onlyIfCached` sends
    /// nothing, and a line that polls (`until`) asks the server each time, whatever this policy is.
    public var cache: CachePolicy?
    /// The maximum number of redirects followed; 0 returns the redirect response itself.
    public var redirects = defaultRedirects
    /// The priority among ready operations.
    public var priority = Priority.normal
    /// The credential for Basic or Digest challenges of the URL's own origin.
    public var credential: Credential?
    /// The servers to trust. Options set here override the batch's policy.
    public var security: Security?
    /// The URL of a proxy: `http`, `https` or `socks5h`.
    public var proxy: String?
    /// The HTTP version to use.
    public var httpVersion = HTTPProtocolVersion.negotiated
    /// The path of a Unix socket to connect to instead of the URL's host.
    public var unixSocket: String?
    /// The addresses to connect to, by host.
    public var resolve: [String: String] = [:]
    /// When a failed request is retried. Options set here override the batch's policy; nil means the batch's policy.
    public var retry: Retry?
    /// The `Idempotency-Key` field, the same for each attempt; nil sends no such field.
    public var idempotencyKey: Key?
    /// The key of which the store of a fleet runs one line: the line is skipped if another line has the key, in any
    /// batch of the store. From 1 to 1,000 bytes, without references. Nil means no key. Only a fleet runs lines with a
    /// key; elsewhere they fail with `invalidRequest`.
    public var unique: String?
    /// Actions on the operation while it runs.
    public var script: [ScriptStep] = []
    /// Pages, elements, values, assertions and polling; nil for a line that is one request.
    public var pipeline: Pipeline? {
        get { boxedPipeline?.value }
        set { boxedPipeline = newValue.flatMap { $0.isEmpty ? nil : Box($0) } }
    }
    /// Boxed, because few lines have it and lines are copied often.
    private(set) var boxedPipeline: Box<Pipeline>?

    /// Makes a line in which every field that is not a parameter has its default.
    public init(id: String? = nil, method: String = "GET", url: String, body: Body? = nil) {
        self.id = id
        self.method = method
        self.url = url
        self.body = body
    }
}
