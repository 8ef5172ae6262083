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
/// Any string value may hold references to what earlier operations returned; see `ReferenceTemplate`. Encoding leaves
/// out what has its default. Decoding is strict: an unknown or ill-typed member is an error.
public struct RequestLine: Sendable, Hashable, Codable {
    /// The most redirects followed, when the line does not say.
    public static let defaultRedirects = 20

    /// The name of the operation, unique in the batch; nil stands for the number of the line.
    public var id: String?
    /// The URL of the request: absolute, or relative to the base URL of the batch.
    public var url: String
    /// The HTTP method.
    public var method = "GET"
    /// Headers that are added to the request serializer's, and replace equal names.
    public var headers: HeaderFields = [:]
    /// Parameters that the request serializer encodes into the URL.
    public var query: JSONObject?
    /// The request's body.
    public var body: Body?
    /// The ids of the operations that must have succeeded before this one starts.
    public var after: [String] = []
    /// The path of the file that the response body is streamed to; nil keeps the body in memory. A path that ends in a
    /// slash, `.` or `..` names a folder, which is made when it does not exist; the response names the file in it. A
    /// tilde is a character like any other.
    public var output: String?
    /// Conditions for the response.
    public var expect: Expectation?
    /// The longest time for the whole operation, in seconds; nil means the batch's.
    public var timeout: Double?
    /// The longest time for making a connection, in seconds; nil means the batch's.
    public var connectTimeout: Double?
    /// The longest time without a byte sent or received, in seconds; nil means the batch's.
    public var idleTimeout: Double?
    /// The most bytes of a decoded body kept in memory; nil means the batch's limit.
    public var maxBody: Int?
    /// Whether content codings of the response are undone; false delivers the bytes as they come, nil means the
    /// batch's.
    public var decode: Bool?
    /// The most redirects followed; 0 returns the redirect itself.
    public var redirects = defaultRedirects
    /// The priority among ready operations.
    public var priority = Priority.normal
    /// The credential for Basic or Digest challenges of the URL's own origin.
    public var credential: Credential?
    /// Which servers are trusted, over the batch's policy.
    public var security: Security?
    /// The URL of a proxy: `http`, `https` or `socks5h`.
    public var proxy: String?
    /// The version of HTTP to speak.
    public var httpVersion = HTTPProtocolVersion.negotiated
    /// The path of a Unix socket to connect to instead of the URL's host.
    public var unixSocket: String?
    /// The addresses to connect to, by host.
    public var resolve: [String: String] = [:]
    /// When the request is sent again after a failure, over the batch's policy; nil means the batch's.
    public var retry: Retry?
    /// The `Idempotency-Key` field, the same for each attempt; nil sends none.
    public var idempotencyKey: Key?
    /// Actions on the running operation.
    public var script: [ScriptStep] = []

    /// Makes a line with the default of every field that is not named here.
    public init(id: String? = nil, method: String = "GET", url: String, body: Body? = nil) {
        self.id = id
        self.method = method
        self.url = url
        self.body = body
    }
}
