// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// How a session works: limits, header fields, transfer options and the folder for downloads. A value; a manager copies
/// it.
///
/// Timeouts, TLS, proxy, trust and credential are in `transferOptions`.
public struct SessionConfiguration: Sendable {
    /// Limits, trust, proxy, cookies and cache of the tasks.
    public var transferOptions = TransferOptions()
    /// Header fields of every request. A request's own field of that name wins; of a request that
    /// `HTTPSessionManager` makes, only a field of the call does. Default none.
    public var headers = HeaderFields()
    /// The most concurrent transfers; further tasks wait for a slot. Default 64.
    public var maximumConcurrentTransferCount = 64
    /// The most concurrent transfers to one origin (scheme, host and port). Default: as many as in all,
    /// `maximumConcurrentTransferCount`.
    public var maximumConcurrentTransferCountPerOrigin: Int {
        get { ownLimitPerOrigin ?? maximumConcurrentTransferCount }
        set { ownLimitPerOrigin = newValue }
    }
    private var ownLimitPerOrigin: Int?
    /// What keeps requests within what their servers can bear. It is not coded. Default nil: none.
    public var governor: Governor?
    /// The folder where downloads are written before they are moved; it has to exist. A download is moved fastest, and
    /// without a copy, within one file system. Default: the folder for temporary files.
    public var downloadDirectory = FileManager.default.temporaryDirectory

    /// The defaults, without cookies and without a cache.
    public init() {}

    /// The defaults, with cookies and a cache in memory that all sessions with this configuration share.
    public static var `default`: SessionConfiguration { SessionConfiguration(sharedCookieJar, sharedCache) }

    /// The defaults, with cookies and a cache in memory of its own: two values of this property share nothing, two
    /// copies of one value share both.
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

    /// The cache of the tasks: `transferOptions.responseCache`.
    public var responseCache: (any ResponseCache)? {
        get { transferOptions.responseCache }
        set { transferOptions.responseCache = newValue }
    }

    /// What the operation manager of a session starts with.
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

/// Coded with its options as `TransferOptions` is. The contents of a cookie jar and of a cache are not coded: a
/// configuration with the shared ones has them again, one with others gets empty ones in memory.
extension SessionConfiguration: Codable {
    private enum Storage: String, Codable {
        case shared, own
    }

    private enum CodingKeys: CodingKey {
        case manager, downloadDirectory, cookies, cache
    }

    /// - Throws: a decoding error, or what `TransferOptions` throws.
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

    /// - Throws: what `TransferOptions` throws.
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
