// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension NetworkingError {
    /// The kind of an error: an open set, so that a new code breaks no program. Result lines contain the raw values.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The URL cannot be used: it has no scheme or host, or is not http or https.
        public static let badURL = Code(rawValue: "badURL")
        /// The method, a header field or the body cannot be sent.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// A `${…}` reference of a request line cannot be resolved.
        public static let unresolvedReference = Code(rawValue: "unresolvedReference")
        /// The host name has no address.
        public static let cannotFindHost = Code(rawValue: "cannotFindHost")
        /// No connection to the host or the proxy could be established.
        public static let cannotConnect = Code(rawValue: "cannotConnect")
        /// The connect, idle or total time limit has passed.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The connection ended before the response was complete.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The TLS handshake failed for a reason other than trust.
        public static let secureConnectionFailed = Code(rawValue: "secureConnectionFailed")
        /// The server's certificate is not trusted.
        public static let serverNotTrusted = Code(rawValue: "serverNotTrusted")
        /// The server's certificate is trusted, but not pinned.
        public static let pinMismatch = Code(rawValue: "pinMismatch")
        /// The server refused the client's certificate.
        public static let clientCertificateRejected = Code(rawValue: "clientCertificateRejected")
        /// The proxy requires a credential, or the server refused the given credential. (A 401 without a credential is
        /// an `unacceptableStatus`.)
        public static let authenticationRequired = Code(rawValue: "authenticationRequired")
        /// The response violates the protocol, or its body is truncated.
        public static let badServerResponse = Code(rawValue: "badServerResponse")
        /// The response serializer does not accept the status, regardless of the body.
        public static let unacceptableStatus = Code(rawValue: "unacceptableStatus")
        /// The response serializer does not accept the content type.
        public static let unacceptableContentType = Code(rawValue: "unacceptableContentType")
        /// The content coding (gzip, deflate) is corrupt or unknown.
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
        /// The file cannot be written: the disk is full, a size limit is reached, or the file cannot be moved into
        /// place.
        public static let cannotWriteFile = Code(rawValue: "cannotWriteFile")
        /// The file to send cannot be read, or changed while it was being sent.
        public static let cannotReadFile = Code(rawValue: "cannotReadFile")
        /// A paused transfer cannot continue where it stopped.
        public static let resumeRefused = Code(rawValue: "resumeRefused")
        /// There is no network.
        public static let notConnected = Code(rawValue: "notConnected")
        /// The response is not in the cache, and the request's cache policy forbids loading it.
        public static let notCached = Code(rawValue: "notCached")
        /// A body stream must be sent a second time and cannot be recreated. Request lines have no streams and never
        /// fail with this code.
        public static let bodyStreamExhausted = Code(rawValue: "bodyStreamExhausted")
        /// The operation was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The operation was not started, and nothing was sent, because its manager was drained. Waiting for an
        /// operation or a batch also fails with this code if it is in no queue and was not started.
        public static let notStarted = Code(rawValue: "notStarted")
        /// An operation that this operation depends on did not succeed.
        public static let dependencyFailed = Code(rawValue: "dependencyFailed")
        /// The process ended when the request may have been sent, and a journal prevents sending it again. Only request
        /// lines that run with a journal fail with this code.
        public static let mayHaveBeenSent = Code(rawValue: "mayHaveBeenSent")
        /// Several workers of a fleet were lost while they processed the request. Only request lines of a fleet fail
        /// with this code.
        public static let workerLost = Code(rawValue: "workerLost")
        /// Another line in the store of a fleet has the key of the request line. Only request lines of a fleet are
        /// skipped with this code.
        public static let duplicateLine = Code(rawValue: "duplicateLine")
        /// A line with `paginate` has more pages than its `max`. This code and the next ones are only used by request
        /// lines, and by calls for pages.
        public static let tooManyPages = Code(rawValue: "tooManyPages")
        /// A page names an earlier page as the next one.
        public static let paginationLoop = Code(rawValue: "paginationLoop")
        /// A line with `each` has more elements than its `max`.
        public static let tooManyElements = Code(rawValue: "tooManyElements")
        /// An assertion of a request line does not hold for its response.
        public static let assertionFailed = Code(rawValue: "assertionFailed")
        /// The condition of a polling line was not met in its time, or in its number of requests.
        public static let conditionNotMet = Code(rawValue: "conditionNotMet")
        /// The stream of a request line was cut after some items, or has an item that cannot be read.
        public static let streamFailed = Code(rawValue: "streamFailed")
        /// The server asks for a retry later than the retry policy waits. The error's `retryDate` contains the date.
        public static let retryAfterTooLong = Code(rawValue: "retryAfterTooLong")
        /// The origin has failed too often, so nothing is sent to it until the date in the error's `retryDate`.
        public static let originUnavailable = Code(rawValue: "originUnavailable")
        /// The security policy contradicts itself or its files cannot be used.
        public static let invalidSecurityPolicy = Code(rawValue: "invalidSecurityPolicy")
    }

    /// A time limit of a request: an open set, so that a new limit breaks no program.
    public struct TimeLimit: RawRepresentable, Hashable, Sendable, Codable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The limit for establishing a connection, including name resolution and TLS handshake.
        public static let connect = TimeLimit(rawValue: "connect")
        /// The limit for the time in which no byte is sent or received.
        public static let idle = TimeLimit(rawValue: "idle")
        /// The limit for the time in which too few bytes are transferred (`TransferOptions.lowSpeedLimit`).
        public static let lowSpeed = TimeLimit(rawValue: "lowSpeed")
        /// The limit for the whole request, including redirects.
        public static let total = TimeLimit(rawValue: "total")
        /// The limit for waiting for a network. The error's code is `notConnected`.
        public static let connectivity = TimeLimit(rawValue: "connectivity")
        /// The limit for the body of a refused response, which is read only for its error text. The error is the
        /// `underlying` error of an `unacceptableStatus`.
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
