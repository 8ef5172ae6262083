// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The settings of a session: limits, header fields, transfer options and the folder for downloads. A manager copies
/// them.
///
/// Timeouts, TLS, proxy, trust and credential are in `transferOptions`.
public struct SessionConfiguration: Sendable {
    /// Limits, trust, proxy, cookies and cache of the tasks.
    public var transferOptions = TransferOptions()
    /// Header fields of every request. A request's own field of the same name replaces such a field; for requests that
    /// `HTTPSessionManager` makes, only a field of the call does. Default: no fields.
    public var headers = HeaderFields()
    /// The largest number of concurrent transfers; further tasks wait for a slot. Default 64.
    public var maximumConcurrentTransferCount = 64
    /// The largest number of concurrent transfers to one origin (scheme, host and port). Default:
    /// `maximumConcurrentTransferCount`.
    public var maximumConcurrentTransferCountPerOrigin: Int {
        get { ownLimitPerOrigin ?? maximumConcurrentTransferCount }
        set { ownLimitPerOrigin = newValue }
    }
    private var ownLimitPerOrigin: Int?
    /// Limits requests to the load that servers can take. Not encoded. Default nil: no governor.
    public var governor: Governor?
    /// The folder where downloads are written before they are moved; it has to exist. A download is moved fastest, and
    /// without a copy, within one file system. Default: the folder for temporary files.
    public var downloadDirectory = FileManager.default.temporaryDirectory

    /// Creates the default configuration, without cookies and without a cache.
    public init() {}

    /// The default configuration, with cookies and a cache in memory that all sessions with this configuration share.
    public static var `default`: SessionConfiguration { SessionConfiguration(sharedCookieJar, sharedCache) }

    /// The default configuration, with its own cookies and its own cache in memory: two values of this property share
    /// nothing, two copies of one value share both.
    public static var ephemeral: SessionConfiguration { SessionConfiguration(CookieJar(), InMemoryResponseCache()) }

    private init(_ jar: CookieJar, _ cache: InMemoryResponseCache) { (cookieJar, responseCache) = (jar, cache) }

    private static let sharedCookieJar = CookieJar()
    private static let sharedCache = InMemoryResponseCache()

    /// The cookies of the tasks: `transferOptions.cookieJar`.
    public var cookieJar: CookieJar? {
        get { transferOptions.cookieJar }
        set { transferOptions.cookieJar = newValue }
    }

    /// The authenticator of the tasks: `transferOptions.authenticator`.
    public var authenticator: SharedAuthenticator? {
        get { transferOptions.authenticator }
        set { transferOptions.authenticator = newValue }
    }

    /// The monitors of the tasks: `transferOptions.eventMonitors`. Default: no monitors.
    public var eventMonitors: [any EventMonitor] {
        get { transferOptions.eventMonitors }
        set { transferOptions.eventMonitors = newValue }
    }
    /// The cache of the tasks: `transferOptions.responseCache`.
    public var responseCache: (any ResponseCache)? {
        get { transferOptions.responseCache }
        set { transferOptions.responseCache = newValue }
    }

    /// The initial configuration of a session's operation manager.
    package var ofManager: RequestOperationManager.Configuration {
        var configuration = RequestOperationManager.Configuration()
        configuration.maximumConcurrentTransferCount = maximumConcurrentTransferCount
        configuration.maximumConcurrentTransferCountPerOrigin = maximumConcurrentTransferCountPerOrigin
        configuration.transferOptions = transferOptions
        configuration.headers = headers
        configuration.governor = governor
        return configuration
    }
}

/// The options are encoded as `TransferOptions` is. The contents of a cookie jar and of a cache are not encoded: a
/// configuration with the shared cookie jar or cache has it again after decoding; any other is replaced by an empty
/// object in memory.
extension SessionConfiguration: Codable {
    private enum Storage: String, Codable {
        case shared, own
    }

    private enum CodingKeys: CodingKey {
        case manager, downloadDirectory, cookies, cache
    }

    /// - Throws: a decoding error, or an error that `TransferOptions` throws.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let manager = try values.decode(RequestOperationManager.Configuration.self, forKey: .manager)
        (transferOptions, headers) = (manager.transferOptions, manager.headers)
        maximumConcurrentTransferCount = manager.maximumConcurrentTransferCount
        maximumConcurrentTransferCountPerOrigin = manager.maximumConcurrentTransferCountPerOrigin
        downloadDirectory = try values.decode(URL.self, forKey: .downloadDirectory)
        cookieJar = try values.decodeIfPresent(Storage.self, forKey: .cookies).map {
            $0 == .shared ? Self.sharedCookieJar : CookieJar()
        }
        responseCache = try values.decodeIfPresent(Storage.self, forKey: .cache).map {
            $0 == .shared ? Self.sharedCache : InMemoryResponseCache()
        }
    }

    /// - Throws: the errors that `TransferOptions` throws.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(ofManager, forKey: .manager)
        try values.encode(downloadDirectory, forKey: .downloadDirectory)
        let cookies = cookieJar.map { $0 === Self.sharedCookieJar ? Storage.shared : .own }
        try values.encodeIfPresent(cookies, forKey: .cookies)
        let cache = responseCache.map { ($0 as? InMemoryResponseCache) === Self.sharedCache ? Storage.shared : .own }
        try values.encodeIfPresent(cache, forKey: .cache)
    }
}
