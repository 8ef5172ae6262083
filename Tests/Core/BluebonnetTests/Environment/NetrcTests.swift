// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct NetrcTests {
    /// Login and password for a host, separated by a colon; nil without a credential.
    private func pair(_ text: String, host: String = "h") throws -> String? {
        try Netrc(text: text).credential(forHost: host).map { "\($0.user ?? "-"):\($0.password ?? "-")" }
    }

    @Test(
        arguments: [
            ("", nil),
            ("machine h login u password p", "u:p"),
            ("machine h\nlogin u\r\n\tpassword p\n", "u:p"),
            ("machine\nh\nlogin\nu\npassword\np", "u:p"),
            ("machine H login u password p", "u:p"),
            ("machine h password p login u", "u:p"),
            ("machine h login u account a password p", "u:p"),
            ("machine other login u password p", nil),
            ("machine sub.h login u password p", nil),
            ("machine other login a password b machine h login u password p", "u:p"),
            ("machine h login u password p machine h login v password q", "u:p"),
            ("machine h machine h login v password q", "v:q"),
            ("default login u password p", "u:p"),
            ("machine other login a password b\ndefault login u password p", "u:p"),
            ("default login a password b\nmachine h login u password p", "u:p"),
            ("machine h\ndefault login u password p", nil),
            ("machine h login u", "u:"),
            ("machine h password token", ":token"),
            ("# a comment\nmachine h login u password p", "u:p"),
            ("machine h # login x\nlogin u # more\npassword p", "u:p"),
            ("machine h login u password #p", "u:#p"),
            ("machine h login u password p#q", "u:p#q"),
            ("#machine h login u password p", nil),
            (#"machine h login "u v" password "p q""#, "u v:p q"),
            (#"machine "h" login u password "\"\\\x""#, "u:\"\\x"),
            ("MACHINE h Login u PassWord p", "u:p"),
            ("\u{FEFF}machine h login u password p", "u:p"),
            ("machine h login u\u{A0}v password p\u{2003}q", "u\u{A0}v:p\u{2003}q"),
            ("machine\u{0B}h\u{0C}login u password p", "u:p"),
            (#"machine h login u account "a\tb" password p"#, "u:p"),
            (#"machine h login u password """#, "u:"),
            (#"machine h login u password p"q"#, "u:p\"q"),
            ("macdef init\nmachine h login x password y\n\nmachine h login u password p", "u:p"),
            ("macdef init\r\nmachine h login x password y\r\n\r\nmachine h login u password p", "u:p"),
            ("machine h login u macdef m\ncd /\n\npassword p", "u:p"),
            ("macdef init\nmachine h login x password y", nil),
        ] as [(String, String?)])
    func credentialComesFromTheMachineOrTheDefault(text: String, expected: String?) throws {
        #expect(try pair(text) == expected)
    }

    @Test func ipv6AddressMatchesWithAndWithoutBrackets() throws {
        #expect(try pair("machine ::1 login u password p", host: "[::1]") == "u:p")
        #expect(try pair("machine [::1] login u password p", host: "[::1]") == "u:p")
    }

    @Test(
        arguments: [
            ("machine h login u password my secret", 1, "unknown keyword"),
            ("\n\nmachine h\nlogin u\nsecret", 5, "unknown keyword"),
            ("login secret", 1, "before the first machine"),
            ("machine h password \"secret", 1, "not closed"),
            ("machine h password \"secret\n\"", 1, "not closed"),
            ("machine h password \"secret\\", 1, "not closed"),
            ("machine", 1, "machine has no value"),
            ("machine h\nlogin secret\npassword \n", 4, "password has no value"),
            ("macdef", 1, "macdef has no value"),
            ("machine h\nlogin u password \"secret\\tx\"", 2, "the password contains a control character"),
            ("machine h\nlogin secret\u{7F}", 2, "the login contains a control character"),
            ("machine h\n\npassword secret\u{1}", 3, "the password contains a control character"),
        ])
    func malformedTextIsReportedByLineWithoutItsWords(text: String, line: Int, part: String) {
        let error = #expect(throws: NetworkingError.self) { try Netrc(text: text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("line \(line) of the netrc text") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(part) == true)
        #expect(error?.message.contains("secret") == false)
    }

    @Test func fileComesFromTheEnvironmentOrTheHomeFolder() {
        #expect(Netrc.path(environment: ["NETRC": "/etc/netrc"], home: "/home/u") == "/etc/netrc")
        #expect(Netrc.path(environment: ["NETRC": ""], home: "/home/u") == "/home/u/.netrc")
        #expect(Netrc.path(environment: [:], home: "/home/u") == "/home/u/.netrc")
    }

    @Test(arguments: [0o600, 0o400, 0o700] as [mode_t])
    func ownerOnlyFileIsRead(mode: mode_t) throws {
        try withFile(mode: mode) { path in
            let netrc = try Netrc(contentsOfFile: path)
            #expect(netrc.path == path)
            #expect(netrc.credential(forHost: "h")?.password == "secret")
        }
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o620, 0o602, 0o601] as [mode_t])
    func fileAccessibleToOthersIsRefused(mode: mode_t) throws {
        try withFile(mode: mode) { path in
            let error = #expect(throws: NetworkingError.self) { try Netrc(contentsOfFile: path) }
            #expect(error?.code == .cannotOpenFile)
            #expect(error?.message.contains("run chmod 600 \(path)") == true)
        }
    }

    @Test(arguments: [(0o644, true), (0o440, true), (0o604, true), (0o664, false), (0o606, false), (0o622, false)])
    func fileReadableByOthersIsReadOnlyIfAllowed(mode: mode_t, isRead: Bool) throws {
        try withFile(mode: mode) { path in
            guard !isRead else {
                let netrc = try Netrc(contentsOfFile: path, mayBeReadByOthers: true)
                return #expect(netrc.credential(forHost: "h")?.password == "secret")
            }
            let error = #expect(throws: NetworkingError.self) {
                try Netrc(contentsOfFile: path, mayBeReadByOthers: true)
            }
            #expect(error?.code == .cannotOpenFile)
        }
    }

    @Test func printedValueShowsNoSecret() throws {
        let netrc = try Netrc(text: "machine host.example login someone password secret")
        var dumped = ""
        dump(TransferOptions { $0.netrc = netrc }, to: &dumped)
        for text in ["\(netrc)", String(reflecting: netrc), "\(TransferOptions { $0.netrc = netrc })", dumped] {
            #expect(!text.contains("secret") && !text.contains("someone") && !text.contains("host.example"))
            #expect(text.contains("credentials in a netrc text"))
        }
    }

    @Test func relativePathIsMadeAbsolute() throws {
        let folder = FileManager.default.currentDirectoryPath
        try withFile(mode: 0o600) { path in
            let up = String(repeating: "../", count: folder.split(separator: "/").count)
            let netrc = try Netrc(contentsOfFile: up + path.dropFirst())
            #expect(netrc.path == folder + "/" + up + path.dropFirst())
            #expect(netrc.credential(forHost: "h")?.password == "secret")
        }
    }

    @Test(arguments: ["/nowhere/.netrc", "/tmp", "", "/dev/null", "a\0b"])
    func pathThatIsNotAFileIsRefused(path: String) {
        let error = #expect(throws: NetworkingError.self) { try Netrc(contentsOfFile: path) }
        #expect(error?.code == .cannotOpenFile)
    }

    @Test func archiveKeepsThePathAndNoSecret() throws {
        try withFile(mode: 0o600) { path in
            var options = TransferOptions()
            options.netrc = try Netrc(contentsOfFile: path)
            let data = try JSONEncoder().encode(ArchivedOptions(options))
            #expect(!String(decoding: data, as: UTF8.self).contains("secret"))
            let decoded = try JSONDecoder().decode(ArchivedOptions.self, from: data).options()
            #expect(decoded.netrc == options.netrc)
        }
    }

    @Test func archiveOfAMissingFileFailsItsOperation() throws {
        var data = Data()
        try withFile(mode: 0o644) { path in
            let options = try TransferOptions {
                $0.netrc = try Netrc(contentsOfFile: path, mayBeReadByOthers: true)
            }
            data = try JSONEncoder().encode(ArchivedOptions(options))
            let decoded = try JSONDecoder().decode(ArchivedOptions.self, from: data).options()
            #expect(decoded.netrc == options.netrc && decoded.netrc?.error == nil)
        }
        let decoded = try JSONDecoder().decode(ArchivedOptions.self, from: data).options()
        let fault = try #require(ResolvedOptions(decoded).contradiction)
        #expect(fault.code == .cannotOpenFile)
        #expect(fault.message.contains(try #require(decoded.netrc?.path)))
    }

    @Test func archiveOfNetrcTextIsRefused() throws {
        var options = TransferOptions()
        options.netrc = try Netrc(text: "machine h login u password p")
        let error = #expect(throws: NetworkingError.self) { try ArchivedOptions(options) }
        #expect(error?.code == .invalidRequest)
    }

    private func withFile(mode: mode_t, _ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("netrc", "machine h login u password secret\n")
        #expect(chmod(path, mode) == 0)
        try body(path)
    }
}

extension NetworkTests {
    @Suite struct NetrcRequestTests {
        private static let text = """
            machine 127.0.0.1 login user password secret
            machine localhost login other password word
            """
        private static let answer = "Basic dXNlcjpzZWNyZXQ="  // "user:secret" in Base64

        private func options() throws -> TransferOptions {
            try TransferOptions { $0.netrc = try Netrc(text: Self.text) }
        }

        private let guardsAll: TestServer.Script = { request in
            request.headers["Authorization"] == NetrcRequestTests.answer
                ? .response(body: "come in")
                : .response(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"test\""])
        }

        @Test func challengeIsAnsweredWithTheCredentialOfTheHost() async throws {
            try await TestServer.serving(script: guardsAll) { server in
                let operation = await get(server.url(), try options())
                #expect(operation.responseString == "come in")
                #expect(server.requests.map { $0.headers["Authorization"] } == [nil, Self.answer])
            }
        }

        @Test func credentialIsNotSentWithoutAChallenge() async throws {
            try await TestServer.answering(.response(body: "open")) { server in
                await get(server.url(), try options())
                #expect(server.requests.map { $0.headers["Authorization"] } == [nil])
            }
        }

        @Test func credentialOfTheOptionsOverridesTheFile() async throws {
            try await TestServer.serving(script: guardsAll) { server in
                var options = try options()
                options.credential = URLCredential(user: "own", password: "wrong", persistence: .none)
                let operation = await get(server.url(), options)
                #expect(operation.statusCode == 401)
                // "own:wrong" in Base64.
                #expect(server.requests.map { $0.headers["Authorization"] } == [nil, "Basic b3duOndyb25n"])
            }
        }

        @Test func authorizationOfTheRequestOverridesTheFile() async throws {
            try await TestServer.serving(script: guardsAll) { server in
                let request = URLRequest("GET", server.url(), headers: ["Authorization": "Bearer own"])
                let operation = await perform(request, try options())
                #expect(operation.statusCode == 401)
                #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer own"])
            }
        }

        @Test func fileOverridesTheSharedStorage() async throws {
            try await TestServer.serving(script: guardsAll) { server in
                let space = URLProtectionSpace(
                    host: "127.0.0.1", port: server.port, protocol: "http", realm: "test",
                    authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
                let stored = URLCredential(user: "stored", password: "wrong", persistence: .forSession)
                URLCredentialStorage.shared.setDefaultCredential(stored, for: space)
                defer { URLCredentialStorage.shared.remove(stored, for: space) }
                let operation = await get(server.url(), try options())
                #expect(operation.responseString == "come in")
                #expect(server.requests.map { $0.headers["Authorization"] } == [nil, Self.answer])
            }
        }

        @Test func userInformationInTheURLOverridesTheFile() async throws {
            try await TestServer.serving(script: guardsAll) { server in
                let url = try #require(URL(string: "http://own:wrong@127.0.0.1:\(server.port)/"))
                let operation = await get(url, try options())
                #expect(operation.statusCode == 401)
                #expect(!server.requests.contains { $0.headers["Authorization"] == Self.answer })
            }
        }

        /// Another scheme is another origin, although the file names only the host.
        @Test func redirectFromHTTPSToHTTPGetsNoCredential() async throws {
            var secure = TestServer.Options()
            secure.certificate = .localhost
            try await TestServer.serving(script: guardsAll) { target in
                try await TestServer.answering(.redirect(to: target.url().absoluteString), secure) { origin in
                    var options = try TransferOptions.trustingTestAuthority
                    options.netrc = try Netrc(text: Self.text)
                    options.allowsInsecureRedirects = true
                    #expect(await get(origin.url(), options).statusCode == 401)
                    #expect(target.requests.map { $0.headers["Authorization"] } == [nil])
                }
            }
        }

        @Test func otherOriginAfterARedirectGetsNoCredential() async throws {
            try await TestServer.serving(script: guardsAll) { target in
                // The file has an entry for each host, but the second host's entry is not for this request either.
                for host in ["127.0.0.1", "localhost"] {
                    let location = target.url("/end", host: host).absoluteString
                    try await TestServer.answering(.redirect(to: location)) { origin in
                        let operation = await get(origin.url("/start"), try options())
                        #expect(operation.statusCode == 401)
                        #expect(operation.summary.redirectCount == 1)
                    }
                }
                #expect(target.requests.map { $0.headers["Authorization"] } == [nil, nil])
            }
        }
    }
}
