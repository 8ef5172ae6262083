// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

extension RequestOperationManager {
    /// The initial settings of a manager: limits, options, serializers and header fields. Copied when the manager is
    /// created.
    ///
    /// `Codable`, in place of AFNetworking's NSCoding archive of a manager; store the base URL in addition to the
    /// configuration. The encoded form contains credentials, tokens and header fields; protect it accordingly. It does
    /// not contain the governor, the cookie jar, the response cache and the authenticator, which are shared, nor the
    /// request adapters and the key log of the TLS options. `OriginLimits` can be encoded separately.
    ///
    /// ```swift
    /// let data = try JSONEncoder().encode(manager.configuration)
    /// let configuration = try JSONDecoder().decode(RequestOperationManager.Configuration.self, from: data)
    /// ```
    public struct Configuration: Sendable {
        /// The largest number of concurrent transfers of this manager; further operations wait for a slot. Default 64.
        public var maximumConcurrentTransferCount = 64
        /// The largest number of concurrent transfers of this manager to one origin (scheme, host and port). Default:
        /// `maximumConcurrentTransferCount`.
        public var maximumConcurrentTransferCountPerOrigin: Int {
            get { ownLimitPerOrigin ?? maximumConcurrentTransferCount }
            set { ownLimitPerOrigin = newValue }
        }
        private var ownLimitPerOrigin: Int?
        /// The limit in bytes per second for all transfers of this manager together. Body bytes count, before decoding,
        /// in both directions. Default nil: no limit. See `TransferOptions.maximumBytesPerSecond`.
        public var maximumBytesPerSecond: Int?
        /// The limit in bytes per second for this manager's transfers to one origin together. Default nil: no limit.
        public var maximumBytesPerSecondPerOrigin: Int?
        /// Limits requests to the load that servers can take, together with other managers that have the same governor.
        /// Default nil: only the manager's own limits.
        public var governor: Governor?
        /// Limits, trust and proxy of the manager's operations.
        public var transferOptions = TransferOptions()
        /// The time limits of the manager's operations: `transferOptions.timeouts`.
        public var timeouts: Timeouts {
            get { transferOptions.timeouts }
            set { transferOptions.timeouts = newValue }
        }
        /// When failed requests are retried: `transferOptions.retryPolicy`. Default nil: never.
        public var retryPolicy: RetryPolicy? {
            get { transferOptions.retryPolicy }
            set { transferOptions.retryPolicy = newValue }
        }
        /// The authenticator of the manager's operations: `transferOptions.authenticator`. Default nil.
        public var authenticator: SharedAuthenticator? {
            get { transferOptions.authenticator }
            set { transferOptions.authenticator = newValue }
        }
        /// The adapters that change requests before they are sent: `transferOptions.requestAdapters`. Default: no
        /// adapters.
        public var requestAdapters: [any RequestAdapter] {
            get { transferOptions.requestAdapters }
            set { transferOptions.requestAdapters = newValue }
        }
        /// The monitors of the manager's operations: `transferOptions.eventMonitors`. Default: no monitors.
        public var eventMonitors: [any EventMonitor] {
            get { transferOptions.eventMonitors }
            set { transferOptions.eventMonitors = newValue }
        }
        /// The cache of the manager's operations: `transferOptions.responseCache`. Default nil: no cache.
        public var responseCache: (any ResponseCache)? {
            get { transferOptions.responseCache }
            set { transferOptions.responseCache = newValue }
        }
        /// The cookies of the manager's operations: `transferOptions.cookieJar`. Default nil: no cookies.
        public var cookieJar: CookieJar? {
            get { transferOptions.cookieJar }
            set { transferOptions.cookieJar = newValue }
        }
        /// Makes requests from parameters. Default `HTTPRequestSerializer`.
        public var requestSerializer: any RequestSerializer = HTTPRequestSerializer()
        /// Makes values from responses. Default `JSONResponseSerializer`.
        public var responseSerializer: any ResponseSerializer = JSONResponseSerializer()
        /// Header fields of every request, as `RequestOperationManager.headers`. Default: no fields.
        public var headers = HeaderFields()

        /// Creates the default configuration.
        public init() {}
    }
}

// MARK: - Coding

extension RequestOperationManager.Configuration: Codable {
    private enum CodingKeys: CodingKey {
        case maximumConcurrentTransferCount, maximumConcurrentTransferCountPerOrigin, transferOptions
        case maximumBytesPerSecond, maximumBytesPerSecondPerOrigin
        case requestSerializer, responseSerializer, headers
    }

    /// Decodes a configuration, without a governor, a cookie jar, a response cache, an authenticator and request
    /// adapters.
    ///
    /// - Throws: `DecodingError`; `NetworkingError` with `invalidSecurityPolicy` or `invalidRequest` if its parts
    ///   contradict each other.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        maximumConcurrentTransferCount = try container.limit(.maximumConcurrentTransferCount)
        let limitPerOrigin = try container.limit(.maximumConcurrentTransferCountPerOrigin)
        if limitPerOrigin != maximumConcurrentTransferCount { maximumConcurrentTransferCountPerOrigin = limitPerOrigin }
        maximumBytesPerSecond = try container.rate(.maximumBytesPerSecond)
        maximumBytesPerSecondPerOrigin = try container.rate(.maximumBytesPerSecondPerOrigin)
        transferOptions = try container.decode(ArchivedOptions.self, forKey: .transferOptions).options()
        requestSerializer = try container.decode(RequestSerializerRecord.self, forKey: .requestSerializer).serializer
        responseSerializer = try container.decode(SerializerRecord.self, forKey: .responseSerializer).serializer
        headers = try container.decode(HeaderFields.self, forKey: .headers)
    }

    /// Encodes everything except the governor, the cookie jar, the response cache, the authenticator, the request
    /// adapters and the key log.
    ///
    /// - Throws: `EncodingError`, naming the type of a serializer that cannot be encoded: a custom type, a
    ///   `DecodableResponseSerializer`, or a query serialization that is a function; `NetworkingError` with
    ///   `invalidRequest` if the client identity has a password or a key in memory.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(maximumConcurrentTransferCount, forKey: .maximumConcurrentTransferCount)
        try container.encode(maximumConcurrentTransferCountPerOrigin, forKey: .maximumConcurrentTransferCountPerOrigin)
        try container.encodeIfPresent(maximumBytesPerSecond, forKey: .maximumBytesPerSecond)
        try container.encodeIfPresent(maximumBytesPerSecondPerOrigin, forKey: .maximumBytesPerSecondPerOrigin)
        try container.encode(try ArchivedOptions(transferOptions), forKey: .transferOptions)
        guard let request = RequestSerializerRecord(requestSerializer) else {
            throw container.refusal(of: requestSerializer, named: "\(type(of: requestSerializer))", .requestSerializer)
        }
        try container.encode(request, forKey: .requestSerializer)
        let response: SerializerRecord
        do {
            response = try SerializerRecord(responseSerializer)
        } catch {
            throw container.refusal(of: responseSerializer, named: error.type, .responseSerializer)
        }
        try container.encode(response, forKey: .responseSerializer)
        try container.encode(headers, forKey: .headers)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a number of transfers that a manager can have.
    fileprivate func limit(_ key: Key) throws -> Int {
        let count = try decode(Int.self, forKey: key)
        guard count > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "a manager's limit must allow at least one transfer")
        }
        return count
    }

    /// Decodes a number of bytes per second; nil without a limit.
    fileprivate func rate(_ key: Key) throws -> Int? {
        guard let rate = try decodeIfPresent(Int.self, forKey: key) else { return nil }
        guard rate > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "a limit of bytes per second must be 1 or more")
        }
        return rate
    }
}

extension KeyedEncodingContainer {
    fileprivate func refusal(of serializer: Any, named name: String, _ key: Key) -> EncodingError {
        EncodingError.invalidValue(
            serializer,
            EncodingError.Context(codingPath: codingPath + [key], debugDescription: "\(name) cannot be encoded"))
    }
}

// MARK: - Copies

extension RequestOperationManager: NSCopying {
    /// The current settings as a configuration, for a manager that starts with them. Blocks, `configure`, coders,
    /// completion queue and group, and the reachability manager are not included; `copied()` keeps them too.
    public var configuration: Configuration {
        let settings = copied()  // all settings of one moment
        var configuration = Configuration()
        configuration.maximumConcurrentTransferCount = services.limit
        if services.limitPerOrigin != services.limit {
            configuration.maximumConcurrentTransferCountPerOrigin = services.limitPerOrigin
        }
        configuration.maximumBytesPerSecond = services.bytesPerSecond
        configuration.maximumBytesPerSecondPerOrigin = services.bytesPerSecondPerOrigin
        configuration.governor = services.governor
        configuration.transferOptions = settings.transferOptions
        configuration.requestSerializer = settings.requestSerializer
        configuration.responseSerializer = settings.responseSerializer
        configuration.headers = settings.headers
        return configuration
    }

    /// Creates a manager with this manager's base URL and settings: serializers, header fields, coders, options,
    /// blocks, `configure`, completion queue and group, and reachability manager. A governor, a cookie jar, a response
    /// cache and the coders are objects, which both managers share.
    ///
    /// The copy has an empty queue with default settings, and its own slots for transfers. Operations stay with the
    /// manager that created them.
    public func copied() -> RequestOperationManager { RequestOperationManager(copying: self) }

    /// Copies the manager like `copied()`; `zone` is ignored.
    public func copy(with zone: NSZone? = nil) -> Any { copied() }
}

extension RequestOperationManager: CustomStringConvertible {
    /// The base URL, without secrets, and the number of unfinished operations, for logs.
    public var description: String {
        let base = baseURL.map { Redaction.url($0.absoluteString) } ?? "no base URL"
        return "<RequestOperationManager: \(base), \(operationQueue.operationCount) operations in its queue>"
    }
}
