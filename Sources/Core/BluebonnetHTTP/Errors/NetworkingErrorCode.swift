// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension NetworkingError {
    /// What happened: an open set, so that a new code breaks no program. The raw values are those of result lines.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The URL cannot be used: no scheme or host, or not http or https.
        public static let badURL = Code(rawValue: "badURL")
        /// The method, a header or the body cannot be sent.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// A `${…}` reference of a request line leads nowhere.
        public static let unresolvedReference = Code(rawValue: "unresolvedReference")
        /// The host's name has no address.
        public static let cannotFindHost = Code(rawValue: "cannotFindHost")
        /// No connection to the host or the proxy could be made.
        public static let cannotConnect = Code(rawValue: "cannotConnect")
        /// The connect, idle or total time ran out.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The connection ended before the response was complete.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The TLS handshake failed for another reason than trust.
        public static let secureConnectionFailed = Code(rawValue: "secureConnectionFailed")
        /// The server's certificate is not trusted.
        public static let serverNotTrusted = Code(rawValue: "serverNotTrusted")
        /// The server's certificate is trusted, but not pinned.
        public static let pinMismatch = Code(rawValue: "pinMismatch")
        /// The server refused the client's certificate.
        public static let clientCertificateRejected = Code(rawValue: "clientCertificateRejected")
        /// The proxy wants a credential, or the server has refused the given credential. (A 401 without a credential is
        /// an `unacceptableStatus`.)
        public static let authenticationRequired = Code(rawValue: "authenticationRequired")
        /// The response breaks the protocol, or its body is truncated.
        public static let badServerResponse = Code(rawValue: "badServerResponse")
        /// The response serializer does not accept the status, whatever happened to the body.
        public static let unacceptableStatus = Code(rawValue: "unacceptableStatus")
        /// The response serializer does not accept the content type.
        public static let unacceptableContentType = Code(rawValue: "unacceptableContentType")
        /// The content coding (gzip, deflate) is broken or unknown.
        public static let cannotDecodeBody = Code(rawValue: "cannotDecodeBody")
        /// The response serializer cannot parse the body.
        public static let cannotParseResponse = Code(rawValue: "cannotParseResponse")
        /// The body does not have the expected digest.
        public static let digestMismatch = Code(rawValue: "digestMismatch")
        /// More redirects than allowed, or a cycle of redirects.
        public static let tooManyRedirects = Code(rawValue: "tooManyRedirects")
        /// A redirect leads to a target that the rules forbid.
        public static let redirectRefused = Code(rawValue: "redirectRefused")
        /// The body is larger than the limit, or expands too far.
        public static let bodyTooLarge = Code(rawValue: "bodyTooLarge")
        /// The response's header section is larger than the limit.
        public static let headersTooLarge = Code(rawValue: "headersTooLarge")
        /// The file to write cannot be opened or created.
        public static let cannotOpenFile = Code(rawValue: "cannotOpenFile")
        /// The file cannot be written: disk full, size limit, or it cannot be moved into place.
        public static let cannotWriteFile = Code(rawValue: "cannotWriteFile")
        /// The file to send cannot be read, or changed while it was sent.
        public static let cannotReadFile = Code(rawValue: "cannotReadFile")
        /// A paused transfer cannot continue where it stopped.
        public static let resumeRefused = Code(rawValue: "resumeRefused")
        /// There is no network.
        public static let notConnected = Code(rawValue: "notConnected")
        /// The response is not in the cache, and the request's cache policy forbids to load it.
        public static let notCached = Code(rawValue: "notCached")
        /// A body stream has to be sent a second time and cannot be made again. Request lines have no streams and never
        /// fail with this code.
        public static let bodyStreamExhausted = Code(rawValue: "bodyStreamExhausted")
        /// The operation was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The operation was not started, and nothing of it was sent: its manager was drained. Calls that wait for an
        /// operation or a batch that is in no queue and was not started fail with this code too.
        public static let notStarted = Code(rawValue: "notStarted")
        /// An operation that this one needed did not succeed.
        public static let dependencyFailed = Code(rawValue: "dependencyFailed")
        /// The process ended when the request may have been sent, and a journal keeps it from being sent again. Only
        /// request lines that are run with a journal fail with this code.
        public static let mayHaveBeenSent = Code(rawValue: "mayHaveBeenSent")
        /// Several workers of a fleet were lost while they had the request. Only request lines of a fleet fail with
        /// this code.
        public static let workerLost = Code(rawValue: "workerLost")
        /// The server wants to be asked again later than the retry policy waits; the error's `retryDate` says when.
        public static let retryAfterTooLong = Code(rawValue: "retryAfterTooLong")
        /// The origin has failed too often, so that nothing is sent to it for a time; the error's `retryDate` says
        /// until when.
        public static let originUnavailable = Code(rawValue: "originUnavailable")
        /// The security policy contradicts itself or its files cannot be used.
        public static let invalidSecurityPolicy = Code(rawValue: "invalidSecurityPolicy")
    }

    /// A time limit of a request: an open set, so that a new limit breaks no program.
    public struct TimeLimit: RawRepresentable, Hashable, Sendable, Codable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The limit for making a connection, with name look-up and TLS handshake.
        public static let connect = TimeLimit(rawValue: "connect")
        /// The limit for a time in which no byte is sent or received.
        public static let idle = TimeLimit(rawValue: "idle")
        /// The limit for a time in which too few bytes move (`TransferOptions.lowSpeedLimit`).
        public static let lowSpeed = TimeLimit(rawValue: "lowSpeed")
        /// The limit for the whole request, redirects included.
        public static let total = TimeLimit(rawValue: "total")
        /// The limit for waiting until there is a network. The error's code is `notConnected`.
        public static let connectivity = TimeLimit(rawValue: "connectivity")
        /// The limit for the body of a refused response, which is read for its error text only. The error is the
        /// `underlying` of an `unacceptableStatus`.
        public static let refusedBody = TimeLimit(rawValue: "refusedBody")
    }
}

extension NetworkingError.Code: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}

extension NetworkingError.TimeLimit: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
