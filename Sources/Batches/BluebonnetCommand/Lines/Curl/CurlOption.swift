// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// The options of curl that a request line has a field for, by their long names.
enum CurlOption: String, CaseIterable {
    case anyauth, basic, cacert, cert, compressed, cookie, data, digest, form, get, globoff, head, header, http2,
        insecure
    case json, key, location, next, output, proxy, range, referer, request, resolve, retry, url, user
    case certType = "cert-type"
    case connectTimeout = "connect-timeout"
    case continueAt = "continue-at"
    case dataASCII = "data-ascii"
    case dataBinary = "data-binary"
    case dataRaw = "data-raw"
    case dataURLEncode = "data-urlencode"
    case formString = "form-string"
    case http1 = "http1.1"
    case http2PriorKnowledge = "http2-prior-knowledge"
    case keyType = "key-type"
    case maxFileSize = "max-filesize"
    case maxRedirects = "max-redirs"
    case maxTime = "max-time"
    case noProxy = "noproxy"
    case bearer = "oauth2-bearer"
    case outputFolder = "output-dir"
    case proxyUser = "proxy-user"
    case remoteHeaderName = "remote-header-name"
    case remoteName = "remote-name"
    case remoteNameAll = "remote-name-all"
    case retryMaxTime = "retry-max-time"
    case socksProxy = "socks5-hostname"
    case speedLimit = "speed-limit"
    case speedTime = "speed-time"
    case unixSocket = "unix-socket"
    case uploadFile = "upload-file"
    case urlQuery = "url-query"
    case userAgent = "user-agent"
}

extension CurlOption {
    /// The meaning of an argument that begins with a dash.
    enum Kind: Equatable {
        case option(CurlOption)
        /// An option that changes no request and no outcome.
        case ignored(hasValue: Bool)
        /// An option without a counterpart, and what to do instead.
        case refused(String)
        case unknown
    }

    /// Whether the next argument is the option's value.
    var hasValue: Bool { !Self.flags.contains(self) }

    private static let flags: Set<CurlOption> = [
        .anyauth, .basic, .compressed, .digest, .get, .globoff, .head, .http1, .http2, .http2PriorKnowledge, .insecure,
        .location, .next, .remoteHeaderName, .remoteName, .remoteNameAll,
    ]

    private static let letters: [Character: CurlOption] = [
        "A": .userAgent, "b": .cookie, "C": .continueAt, "d": .data, "e": .referer, "E": .cert, "F": .form, "G": .get,
        "g": .globoff, "H": .header, "I": .head, "J": .remoteHeaderName, "k": .insecure, "L": .location, "m": .maxTime,
        "o": .output, "O": .remoteName, "r": .range, "T": .uploadFile, "u": .user, "U": .proxyUser, "X": .request,
        "x": .proxy, "y": .speedTime, "Y": .speedLimit, ":": .next,
    ]

    /// Returns the kind of a long option, without its dashes.
    static func kind(of name: String) -> Kind {
        if let option = CurlOption(rawValue: name), FieldSyntax.isSameText(option.rawValue, name) {
            return .option(option)
        }
        if let hasValue = ignored[name] { return .ignored(hasValue: hasValue) }
        if name.hasPrefix("no-"), ignored[String(name.dropFirst(3))] == false { return .ignored(hasValue: false) }
        return refused[name].map { .refused($0) } ?? .unknown
    }

    /// Returns the kind of an option with one letter.
    static func kind(of letter: Character) -> Kind {
        if let option = letters[letter] { return .option(option) }
        return otherLetters[letter].map { kind(of: $0) } ?? .unknown
    }

    /// Returns the long option that was probably meant.
    static func suggestion(for name: String) -> String? {
        let names = allCases.map(\.rawValue) + Array(ignored.keys) + Array(refused.keys)
        return SpellingSuggestion.of(name, among: names.sorted())
    }
}

// MARK: - Options without a field

extension CurlOption {
    private static let otherLetters: [Character: String] = [
        "#": "progress-bar", "0": "http1.0", "1": "tlsv1", "4": "ipv4", "6": "ipv6", "B": "use-ascii",
        "c": "cookie-jar",
        "D": "dump-header", "f": "fail", "i": "include", "j": "junk-session-cookies", "K": "config", "N": "no-buffer",
        "n": "netrc", "p": "proxytunnel", "q": "disable", "R": "remote-time", "S": "show-error", "s": "silent",
        "v": "verbose", "w": "write-out", "z": "time-cond", "Z": "parallel",
    ]

    /// The options that are ignored, and whether they have a value: output for people, the exit status, which a batch
    /// decides by the status of the response, and the order of transfers.
    static let ignored: [String: Bool] = [
        "buffer": false, "disable": false, "fail": false, "fail-early": false, "fail-with-body": false,
        "include": false, "junk-session-cookies": false, "keepalive": false, "keepalive-time": true, "no-buffer": false,
        "no-keepalive": false, "no-progress-meter": false, "parallel": false, "parallel-immediate": false,
        "parallel-max": true, "progress-bar": false, "progress-meter": false, "retry-connrefused": false,
        "show-error": false, "show-headers": false, "silent": false, "stderr": true, "styled-output": false,
        "suppress-connect-headers": false, "tcp-nodelay": false, "trace": true, "trace-ascii": true,
        "trace-config": true, "trace-ids": false, "trace-time": false, "verbose": false, "write-out": true,
    ]

    private static let none = "leave it out"

    private static func perRun(_ option: String) -> String { "bluebonnet run has \(option) for all lines" }

    /// The options that are refused, and what to do instead.
    static let refused: [String: String] = [
        "abstract-unix-socket": none, "alt-svc": none, "append": none, "aws-sigv4": none, "cert-status": none,
        "capath": "write --cacert with a file of certificates", "ciphers": none, "config": "write its options here",
        "connect-to": "write --resolve", "cookie-jar": "copy the cookies to a header field",
        "create-dirs": "create the folders first", "crlf": none, "crlfile": none, "curves": none,
        "delegation": none, "disallow-username-in-url": none, "dns-servers": none, "doh-url": none,
        "dump-header": "the result line has the header fields", "etag-compare": "write a field If-None-Match",
        "etag-save": "the result line has the header fields", "expect100-timeout": none, "form-escape": none,
        "happy-eyeballs-timeout-ms": none, "hsts": none, "http0.9": none, "http1.0": "write --http1.1", "http3": none,
        "http3-only": none, "ignore-content-length": none, "interface": none, "ipv4": "write --resolve",
        "ipv6": "write --resolve", "limit-rate": perRun("--limit-rate"), "local-port": none,
        "location-trusted": "write --location, and the fields in a line for the other origin",
        "negotiate": none, "netrc": perRun("--netrc"), "netrc-file": perRun("--netrc"),
        "netrc-optional": perRun("--netrc"), "no-alpn": none, "no-clobber": none, "ntlm": none, "pass": none,
        "path-as-is": perRun("--path-as-is"),
        "pinnedpubkey": "write a line with certificates in security.pins", "post301": none, "post302": none,
        "post303": none, "preproxy": none, "proto": none, "proto-default": "write the scheme of the URL",
        "proto-redir": none, "proxy-anyauth": none, "proxy-basic": none, "proxy-cacert": none, "proxy-digest": none,
        "proxy-header": none, "proxy-insecure": none, "proxy1.0": "write --proxy", "proxytunnel": none,
        "rate": perRun("--rate"), "raw": none, "remote-time": none, "remove-on-error": none, "request-target": none,
        "retry-all-errors": "statuses to retry are in retry.statuses", "retry-delay": none, "socks4": none,
        "socks4a": none, "socks5": "write --socks5-hostname", "sslv3": none, "tcp-fastopen": none,
        "time-cond": "write a field If-Modified-Since", "tls-max": none, "tls13-ciphers": none, "tlsv1": none,
        "tlsv1.0": none, "tlsv1.1": none, "tlsv1.2": none, "tlsv1.3": none, "tr-encoding": none, "use-ascii": none,
        "variable": "write the value", "xattr": none,
    ]
}
