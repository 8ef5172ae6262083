// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Foundation

/// The options of curl between two `--next`: collects them one by one, and makes a request line for each URL.
struct CurlRequest {
    typealias Item = CurlArguments.Item

    /// The parts of the line that one option sets, whatever the other options are.
    private var line = RequestLine(url: "")
    private var body = CurlBody()
    private var headers = CurlHeaders()
    private var files = CurlFiles()
    private var urls: [Item] = []
    private var resolves: [CurlResolve] = []
    private var method: String?
    private var isHead = false
    private var isGlobOff = false
    private var follows = false
    private var maximumRedirects: Int?
    private var proxyUser: Item?
    private var (speedLimit, speedTime): (Item?, Item?) = (nil, nil)

    /// The differences between the lines and the command.
    private(set) var warnings: [ConversionError] = []

    var isEmpty: Bool { urls.isEmpty }

    mutating func apply(_ item: Item) throws(ConversionError) {
        switch item.option {
        case .url: urls.append(item)
        case .request: method = try Self.method(item)
        case .head: isHead = true
        case .globoff: isGlobOff = true
        case .location: follows = true
        case .maxRedirects: maximumRedirects = try item.integer(in: 0...Int.max)
        case .header, .userAgent, .referer, .cookie, .bearer, .range: try headers.apply(item)
        case .compressed: headers.isCompressed = true
        case .data, .dataASCII, .dataBinary, .dataRaw, .dataURLEncode, .json, .form, .formString, .get, .urlQuery,
            .uploadFile:
            try body.apply(item)
            if item.option == .data || item.option == .dataASCII, item.value.hasPrefix("@") {
                let text = "\(item.name) @FILE: the file is sent as it is; curl removes its line ends"
                warnings.append(ConversionError(line: item.line, text))
            }
        case .output, .outputFolder, .remoteName, .remoteNameAll, .remoteHeaderName, .continueAt:
            try files.apply(item)
        case .basic, .digest, .anyauth, .next: break
        case .user, .proxy, .noProxy, .socksProxy, .proxyUser, .unixSocket, .resolve, .insecure, .cacert, .cert, .key,
            .certType, .keyType, .http1, .http2, .http2PriorKnowledge:
            try applyConnection(item)
        case .maxTime, .connectTimeout, .speedLimit, .speedTime, .retry, .retryMaxTime, .maxFileSize:
            try applyLimit(item)
        }
    }

    /// Returns the lines, one for each URL.
    ///
    /// - Parameter place: the number of the line with the command.
    func lines(place: Int) throws(ConversionError) -> [RequestLine] {
        guard !urls.isEmpty else { throw ConversionError(line: place, "the command has no URL") }
        try files.check(urlCount: urls.count)
        var lines: [RequestLine] = []
        for (index, item) in urls.enumerated() {
            var line = try common()
            line.url = try url(item)
            if let upload = body.upload {
                if urls.count > 1 { throw upload.error("only one URL can have an uploaded file") }
                if !isGlobOff, upload.value.utf8.contains(where: { "[]{}".utf8.contains($0) }) {
                    throw upload.error("curl reads […] and {…} as several files: add --globoff")
                }
            }
            line.url = body.uploadURL(line.url)
            line.output = try files.output(index, url: line.url, place: item)
            for resolve in resolves { try resolve.apply(to: &line) }
            lines.append(line)
        }
        return lines
    }

    /// Returns the line without the parts that depend on the URL.
    private func common() throws(ConversionError) -> RequestLine {
        var line = line
        headers.apply(to: &line)
        line.query = body.query
        try body.apply(to: &line, removesContentType: headers.removes("Content-Type"))
        line.method = method ?? (isHead ? "HEAD" : body.method)
        if !follows { line.redirects = 0 } else if let maximumRedirects { line.redirects = maximumRedirects }
        if let proxyUser { line.proxy = try Self.proxy(line.proxy, user: proxyUser) }
        if let speedTime {
            if let limit = try speedLimit?.integer(in: 0...Int.max), limit > 1 {
                throw speedTime.error("a line has only a limit for the time without any byte: write --speed-limit 1")
            }
            line.idleTimeout = try speedTime.seconds()
        }
        return line
    }

    private func url(_ item: Item) throws(ConversionError) -> String {
        var text =
            URLText(item.value).scheme == nil || URLText(item.value).authority == nil
            ? "http://" + item.value : item.value
        if !isGlobOff, Self.hasGlob(text) {
            throw item.error("curl reads […] and {…} as several URLs: write each URL, or add --globoff")
        }
        if let query = body.plainQuery {
            let address = text.prefix { $0 != "#" }
            text = address + (address.contains("?") ? "&" : "?") + query + text[address.endIndex...]
        }
        do throws(NetworkingError) {
            _ = try RequestCheck.url(text)
        } catch {
            throw ConversionError(line: item.line, error.message)
        }
        return text
    }

    /// Whether curl would expand brackets in the URL. The brackets of an IPv6 address do not count.
    private static func hasGlob(_ text: String) -> Bool {
        URLText(text).remainder.utf8.contains { "[]{}".utf8.contains($0) }
            || URLText(text).host.utf8.contains { "{}".utf8.contains($0) }
    }
}

// MARK: - Connections and limits

extension CurlRequest {
    private mutating func applyConnection(_ item: Item) throws(ConversionError) {
        switch item.option {
        case .user: line.credential = try Self.credential(item)
        case .proxy: line.proxy = try Self.proxy(item)
        case .noProxy:
            guard item.value == "*" || item.value.isEmpty else {
                throw item.error("a line has one proxy or none: write --noproxy '*' for hosts without one")
            }
            if item.value == "*" { line.proxy = "" }
        case .socksProxy: line.proxy = "socks5h://" + item.value
        case .proxyUser: proxyUser = item
        case .unixSocket: line.unixSocket = item.value
        case .resolve: resolves.append(try CurlResolve(item))
        case .http1: line.httpVersion = .http1
        case .http2: line.httpVersion = .http2
        case .http2PriorKnowledge: line.httpVersion = .http2PriorKnowledge
        default: line.security = try CurlTrust.applying(item, to: line.security ?? RequestLine.Security())
        }
    }

    private mutating func applyLimit(_ item: Item) throws(ConversionError) {
        switch item.option {
        case .maxTime: line.timeout = try item.seconds()
        case .connectTimeout: line.connectTimeout = try item.seconds()
        case .speedLimit: speedLimit = item
        case .speedTime: speedTime = item
        case .maxFileSize: line.maxBody = try item.integer(in: 0...Int.max)
        case .retry:
            var retry = line.retry ?? RequestLine.Retry()
            retry.attempts = try item.integer(in: 0...1_000_000) + 1
            line.retry = retry
        default:
            var retry = line.retry ?? RequestLine.Retry()
            retry.maxTime = try item.seconds()
            line.retry = retry
        }
    }

    private static func method(_ item: Item) throws(ConversionError) -> String {
        do throws(NetworkingError) {
            try RequestCheck.method(item.value)
        } catch {
            throw item.error(error.message)
        }
        return item.value
    }

    private static func credential(_ item: Item) throws(ConversionError) -> RequestLine.Credential {
        let parts = item.value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw item.error("there is no password, for which curl would ask") }
        return RequestLine.Credential(user: parts[0], password: parts[1])
    }

    private static func proxy(_ item: Item) throws(ConversionError) -> String {
        guard !item.value.isEmpty else { return "" }
        guard item.value.contains("://"), let scheme = URLText(item.value).scheme else { return "http://" + item.value }
        guard ["http", "https", "socks5h"].contains(scheme.lowercased()) else {
            throw item.error("a proxy of a line is http, https or socks5h, not \(scheme)")
        }
        return item.value
    }

    private static func proxy(_ url: String?, user item: Item) throws(ConversionError) -> String {
        guard let url, let start = url.range(of: "://")?.upperBound else { throw item.error("there is no proxy") }
        let parts = item.value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let user = parts.map { FormText.escaped(String($0)) }.joined(separator: ":")
        return url[..<start] + user + "@" + url[start...]
    }
}

extension CurlArguments.Item {
    /// Returns the value as a whole number.
    func integer(in range: ClosedRange<Int>) throws(ConversionError) -> Int {
        guard let number = Int(value), range.contains(number) else {
            let limit = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
            throw error("expected a whole number, \(range.lowerBound) \(limit)")
        }
        return number
    }

    /// Returns the value as a time in seconds; nil for 0, which means no limit.
    func seconds() throws(ConversionError) -> Double? {
        guard let number = JSONNumber(value)?.double, number >= 0, number.isFinite else {
            throw error("expected a number of seconds")
        }
        return number == 0 ? nil : number
    }
}
