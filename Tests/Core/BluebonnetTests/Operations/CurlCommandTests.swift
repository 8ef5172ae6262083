// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite struct CurlCommandTests {
    private func request(_ url: String, _ headers: [String: String] = [:]) throws -> URLRequest {
        URLRequest("GET", try #require(URL(string: url)), headers: headers)
    }

    @Test(arguments: [
        ("plain-text_1.0/a:b=c,d@e%f+g", "plain-text_1.0/a:b=c,d@e%f+g"), ("", "''"), ("a b", "'a b'"),
        ("it's", #"'it'\''s'"#), ("$(x) `y` \"z\" \\", "'$(x) `y` \"z\" \\'"), ("a\nb", "'a\nb'"), ("*", "'*'"),
        ("é", "'é'"), ("~", "'~'"), ("#", "'#'"), ("'", #"''\'''"#),
    ])
    func wordIsQuotedForShell(word: String, quoted: String) {
        #expect(CurlCommand.quoted(word) == quoted)
    }

    /// Compares UTF-8, because in Swift a quotation mark with an accent is a different character from one without.
    @Test func quotationMarkWithAnAccentDoesNotEndTheWord() {
        let accent = "\u{301}"
        let quoted = CurlCommand.quoted("a'" + accent + "; id #")
        let expected = "'a'\\''" + accent + "; id #'"
        #expect(quoted.utf8.elementsEqual(expected.utf8))
    }

    @Test func secretsAreRedactedByDefault() throws {
        let url = "https://ada:pa55@h/p?access_token=s3cret&q=x&api-key=k3y"
        var request = try request(
            url, ["Authorization": "Bearer t0ken", "Cookie": "c00kie", "X-Api-Key": "x4pi", "X-Plain": "plain"])
        request.setValue("pr0xy", forHTTPHeaderField: "Proxy-Authorization")
        let options = try TransferOptions {
            $0.proxy = try Proxy("http://user:pr0xypass@proxy:1")
            $0.credential = URLCredential(user: "eva", password: "cr3d", persistence: .none)
        }
        let hidden = request.curlCommand(options: options)
        let secrets = ["pa55", "s3cret", "k3y", "t0ken", "c00kie", "x4pi", "pr0xy", "pr0xypass", "cr3d"]
        for secret in secrets { #expect(!hidden.contains(secret), "\(secret)") }
        for shown in ["X-Plain: plain", "q=x", "eva:REDACTED", "user:REDACTED", "REDACTED@h/p?access_token=REDACTED&"] {
            #expect(hidden.contains(shown), "\(shown)")
        }
        let full = request.curlCommand(options: options, includingSecrets: true)
        for secret in secrets { #expect(full.contains(secret), "\(secret)") }
        #expect(!full.contains("REDACTED"))
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", "user=ada&password=pa55&q=x", "user=ada&password=REDACTED&q=x"),
        ("application/x-www-form-urlencoded; charset=utf-8", "client%5Fsecret=pa55", "client%5Fsecret=REDACTED"),
        (
            "application/json", #"{ "user": "ada", "list": [{"apiKey": "pa55", "n": 1.10}] }"#,
            #"{"list":[{"apiKey":"REDACTED","n":1.10}],"user":"ada"}"#
        ),
        ("application/vnd.api+json", #"{"token":{"inner":"pa55"}}"#, #"{"token":"REDACTED"}"#),
        ("application/json", #"{ "user": "ada" }"#, #"{ "user": "ada" }"#),
        ("application/json", "password=ada", "password=ada"), ("text/plain", "password=ada", "password=ada"),
    ])
    func bodySecretsAreRedactedByDefault(type: String, body: String, shown: String) throws {
        var request = try request("http://h/", ["Content-Type": type])
        (request.httpMethod, request.httpBody) = ("POST", Data(body.utf8))
        #expect(request.curlCommand().contains("--data-raw \(CurlCommand.quoted(shown))"))
        let full = request.curlCommand(includingSecrets: true)
        #expect(full.contains("--data-raw \(CurlCommand.quoted(body))"))
    }

    @Test func commentNamesWhatCurlCannotDo() throws {
        var stream = try request("http://h/")
        stream.httpMethod = "POST"
        stream.httpBodyStream = InputStream(data: Data("x".utf8))
        #expect(stream.curlCommand().hasSuffix("# the body is a stream: pass it on standard input"))
        var large = try request("http://h/")
        large.httpMethod = "POST"
        large.httpBody = Data(repeating: 65, count: 100_000)
        #expect(large.curlCommand().contains("# the body of 100000 bytes is omitted"))
        let unchecked = try TransferOptions { $0.securityPolicy = try SecurityPolicy(validatesDomainName: false) }
        let command = try request("https://h/").curlCommand(options: unchecked)
        #expect(command.contains("--insecure") && command.contains("# curl cannot check"))
    }

    @Test func commentNamesStricterTrustThanCurl() throws {
        var options = TransferOptions()
        options.securityPolicy = .trustingNobody
        let words = "# the operation trusts no server"
        #expect(try request("https://h/").curlCommand(options: options).contains(words))
        #expect(try request("http://h/").curlCommand(options: options).contains(words))
        options.securityPolicy = .default
        #expect(try !request("https://h/").curlCommand(options: options).contains("#"))
        options.securityPolicy.authorities = .data(Data("PEM".utf8))
        let command = try request("https://h/").curlCommand(options: options)
        #expect(command.contains("# the operation's authorities are in memory"))
    }

    @Test func proxyAndCredentialMatchTheURL() throws {
        let proxy = try Proxy("http://proxy:1")
        let options = try TransferOptions {
            $0.proxyConfiguration = ProxyConfiguration(http: proxy, exceptions: ["direct"])
            $0.netrc = try Netrc(text: "machine h login ada password s3cret")
        }
        let through = try request("http://h/").curlCommand(options: options)
        #expect(through.contains("--proxy http://proxy:1") && through.contains("--user ada:REDACTED"))
        let own = try request("http://h/", ["Authorization": "Bearer x"]).curlCommand(options: options)
        #expect(!own.contains("--user"))
        let direct = try request("http://direct/").curlCommand(options: options)
        #expect(!direct.contains("--proxy ") && !direct.contains("--user"))
    }

    @Test func speedLimitsBecomeOptions() throws {
        let options = TransferOptions {
            $0.maximumBytesPerSecond = 4096
            $0.lowSpeedLimit = LowSpeedLimit(bytesPerSecond: 100, duration: .milliseconds(1500))
        }
        let command = try request("http://h/").curlCommand(options: options)
        #expect(command.contains("--limit-rate 4096") && command.contains("--speed-limit 100 --speed-time 2"))
    }

    @Test func pinnedKeysBecomePinnedPubKeyOption() throws {
        let digests = [UInt8(0), 1].map { Data(repeating: $0, count: 32).base64EncodedString() }
        let pins = try PinSet(keys: ["sha256/" + digests[0]], backupKeys: ["sha256/" + digests[1]])
        let pinned = try SecurityPolicy(pinningMode: .publicKey, pins: pins)
        var table = SecurityPolicy.default
        table.hosts = try SecurityPolicyTable(["h": pinned])
        for policy in [pinned, table] {
            let command = try request("https://h/").curlCommand(options: TransferOptions { $0.securityPolicy = policy })
            #expect(command.contains("--pinnedpubkey 'sha256//\(digests[0]);sha256//\(digests[1])'"))
            #expect(command.contains("# curl compares"))
        }
        let other = TransferOptions { $0.securityPolicy = table }
        #expect(try !request("https://other/").curlCommand(options: other).contains("--pinnedpubkey"))
    }

    @Test func tlsOptionsBecomeCurlOptions() throws {
        var options = TransferOptions()
        options.tls = try TLSOptions(
            minimumVersion: .v12, maximumVersion: .v13, ciphers: ["ECDHE-ECDSA-AES128-GCM-SHA256"],
            cipherSuites: ["TLS_AES_128_GCM_SHA256"])
        options.securityPolicy.authorities = .directory("/authorities")
        options.tls.requiresStapledStatus = true
        options.tls.clientIdentity = .files(certificate: "/c.pem", key: "/k.pem", password: "pa55")
        let command = try request("https://h/").curlCommand(options: options)
        let words = [
            "--tlsv1.2", "--tls-max 1.3", "--ciphers ECDHE-ECDSA-AES128-GCM-SHA256",
            "--tls13-ciphers TLS_AES_128_GCM_SHA256", "--capath /authorities", "--cert-status", "--cert /c.pem",
            "--key /k.pem", "--pass REDACTED",
        ]
        for word in words { #expect(command.contains(word), "\(word)") }
        #expect(!command.contains("pa55"))
        #expect(try !request("http://h/").curlCommand(options: options).contains("--cert"))
        options.tls.clientIdentity = .pkcs12(file: "/c.p12", password: "pa55")
        #expect(try request("https://h/").curlCommand(options: options).contains("--cert /c.p12 --cert-type P12"))
    }

    @Test func transferOptionsBecomeCurlOptions() throws {
        let options = try TransferOptions {
            $0.timeouts.connect = .milliseconds(2500)
            $0.timeouts.total = .seconds(30)
            $0.timeouts.idle = .milliseconds(1500)
            $0.httpVersion = .http2PriorKnowledge
            $0.unixSocketPath = "/run/a socket"
            $0.addressOverrides = ["h": "127.0.0.1"]
            $0.securityPolicy = try SecurityPolicy(authorities: .file("/ca.pem"))
        }
        let command = try request("https://h:444/x").curlCommand(options: options)
        for part in [
            "--connect-timeout 2.5", "--max-time 30", "--speed-limit 1 --speed-time 2", "--http2-prior-knowledge",
            "--unix-socket '/run/a socket'", "--resolve h:444:127.0.0.1", "--cacert /ca.pem", "--noproxy '*'",
        ] { #expect(command.contains(part), "\(part)") }
    }

    @Test func commandPathMatchesTheSentPath() throws {
        let request = try request("http://h/a/../b/%2e/c?q=/../d")
        #expect(request.curlCommand().hasSuffix(" 'http://h/b/c?q=/../d'"))
        #expect(!request.curlCommand().contains("--path-as-is"))
        let kept = request.curlCommand(options: TransferOptions { $0.keepsDotSegments = true })
        #expect(kept.hasSuffix(" --path-as-is 'http://h/a/../b/%2e/c?q=/../d'"))
    }

    @Test func commandIsNilUntilRequestIsKnown() throws {
        let made = HTTPRequestOperation { URLRequest(url: ScriptedNetwork.url("/")) }
        #expect(made.curlCommand() == nil)
        let operation = ScriptedNetwork().operation("/path")
        #expect(operation.curlCommand()?.hasSuffix(" http://scripted.test/path") == true)
    }
}
