// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Refreshes at a scripted token endpoint, and tokens in files.
@Suite(.timeLimit(.minutes(1))) struct BearerAuthenticatorTests {
    private let network = ScriptedNetwork()
    private let folder: TemporaryFolder
    private let file: TokenFile

    init() throws {
        folder = try TemporaryFolder()
        file = TokenFile(folder.path("token"))
    }

    private static let future = VirtualTime.start + 3600

    private func bearer(_ file: TokenFile? = nil, _ options: TransferOptions = TransferOptions()) -> BearerAuthenticator
    {
        let endpoint = TokenEndpoint(ScriptedNetwork.url("/token"), clientID: "app", clientSecret: "s")
        return BearerAuthenticator(
            endpoint, file: file, options, services: network.services, date: { VirtualTime.start })
    }

    /// Answers with tokens a1, r1; a2, r2 and so on, each only for the refresh token before it.
    private func answerInTurn() {
        network.answer("/token") { [network] request in
            let number = network.log.requests.count
            let sent = request.copiedBody.map { String(decoding: $0, as: UTF8.self) } ?? ""
            guard sent == "grant_type=refresh_token&refresh_token=r\(number - 1)" else {
                return [.head(400), .body(#"{"error":"invalid_grant"}"#)]
            }
            return [
                .head(200), .body(#"{"access_token":"a\#(number)","expires_in":60,"refresh_token":"r\#(number)"}"#),
            ]
        }
    }

    @Test func refreshTokenIsRotated() async throws {
        defer { folder.remove() }
        answerInTurn()
        let bearer = bearer()
        let first = try await bearer.refresh(BearerToken("a0", refreshToken: "r0"))
        #expect(first == BearerToken("a1", refreshToken: "r1", expiryDate: VirtualTime.start + 60))
        #expect(try await bearer.refresh(first).refreshToken == "r2")
    }

    @Test func tokenWithoutARefreshTokenSendsNoRequest() async {
        defer { folder.remove() }
        for token in [nil, BearerToken("a0")] {
            let error = await #expect(throws: TokenError.self) { try await bearer().refresh(token) }
            #expect(error?.code == .noRefreshToken && bearer().isFinal(error ?? TokenError(.unusableResponse)))
        }
        #expect(network.log.requests.isEmpty)
    }

    @Test func requestErrorContainsNoSecret() async throws {
        defer { folder.remove() }
        network.answer("/token", with: [.fail(.connectionLost)])
        let error = await #expect(throws: NetworkingError.self) {
            try await bearer().refresh(BearerToken("a0", refreshToken: "r0"))
        }
        #expect(error?.code == .connectionLost && error?.request == nil)
        #expect(!bearer().isFinal(try #require(error)))
    }

    @Test func endpointRedirectIsNotFollowed() async {
        defer { folder.remove() }
        network.answer("/token", with: [.head(307, ["Location": "http://other.test/"])])
        await #expect(throws: TokenError.self) { try await bearer().refresh(BearerToken("a0", refreshToken: "r0")) }
        #expect(network.log.requests.count == 1)
    }

    @Test(arguments: [nil, .zero, .seconds(5)] as [Duration?]) func refreshRequestHasItsOwnTotalLimit(total: Duration?)
    {
        defer { folder.remove() }
        let options = TransferOptions {
            $0.timeouts.total = total
            $0.waitsForConnectivity = true
        }
        let used = bearer(nil, options).options.value
        #expect(used.timeouts.total == (total == .seconds(5) ? total : .seconds(30)))
        #expect(!used.waitsForConnectivity)
    }

    @Test func authenticatorAndAdaptersAreNotUsedForTheRefresh() async throws {
        defer { folder.remove() }
        answerInTurn()
        let options = TransferOptions {
            $0.authenticator = SharedAuthenticator(bearer(), origins: [ScriptedNetwork.url("/")])
            $0.requestAdapters = [.block { _ in throw ScriptedAuthenticator.Refusal() }]
        }
        _ = try await bearer(nil, options).refresh(BearerToken("a0", refreshToken: "r0"))
        #expect(network.sentTokens == ["Basic YXBwOnM="])
    }
}

// MARK: - Tokens in files

extension BearerAuthenticatorTests {
    @Test func fileIsReplacedWithModeSixHundred() throws {
        defer { folder.remove() }
        #expect(try file.read() == nil)
        let token = BearerToken("a", refreshToken: "r", expiryDate: VirtualTime.start, scope: "s")
        for token in [BearerToken("b"), token] {
            try file.write(token)
            #expect(try file.read() == token)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(chmod(file.path, 0o644) == 0)  // a file readable by others is replaced by a private one
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["token"])
    }

    @Test(arguments: [0o644, 0o640, 0o660] as [mode_t]) func fileAccessibleToOthersIsRefused(mode: mode_t) throws {
        defer { folder.remove() }
        try file.write(BearerToken("secret"))
        #expect(chmod(file.path, mode) == 0)
        let error = #expect(throws: NetworkingError.self) { try file.read() }
        #expect(error?.code == .cannotOpenFile && error?.message.contains("run chmod 600 \(file.path)") == true)
    }

    @Test func malformedFileIsRefusedWithoutItsText() throws {
        defer { folder.remove() }
        #expect(chmod(try folder.write("token", "{\"secret\": 1}"), 0o600) == 0)
        let error = #expect(throws: NetworkingError.self) { try file.read() }
        #expect(error?.code == .cannotOpenFile && error?.description.contains("secret") == false)
    }

    @Test func unwritableFileIsAnError() {
        defer { folder.remove() }
        for path in ["/nowhere/token", "", folder.url.path] {
            let error = #expect(throws: NetworkingError.self) { try TokenFile(path).write(BearerToken("a")) }
            #expect(error?.code == .cannotWriteFile)
        }
        #expect((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) == [])
    }

    @Test func firstTokenComesFromTheFile() async throws {
        defer { folder.remove() }
        let kept = BearerToken("kept", refreshToken: "r0", expiryDate: Self.future)
        try file.write(kept)
        #expect(try await bearer(file).refresh(nil) == kept)
        #expect(network.log.requests.isEmpty)
    }

    @Test func newTokenIsWrittenToTheFile() async throws {
        defer { folder.remove() }
        answerInTurn()
        try file.write(BearerToken("a0", refreshToken: "r0", expiryDate: VirtualTime.start))
        let token = try await bearer(file).refresh(nil)
        let kept = try file.read()
        #expect(token.accessToken == "a1" && kept == token)
    }

    @Test func tokenOfAnotherProcessIsUsedInsteadOfARefresh() async throws {
        defer { folder.remove() }
        answerInTurn()
        let start = BearerToken("a0", refreshToken: "r0", expiryDate: Self.future)
        try file.write(start)
        async let first = bearer(file).refresh(start)
        async let second = bearer(file).refresh(start)
        let tokens = try await [first, second]
        #expect(tokens.map(\.accessToken) == ["a1", "a1"] && network.log.requests.count == 1)
        // If another program has used up the refresh token, the file is read again.
        try file.write(start)
        network.answer("/token") { [file] _ in
            try? file.write(BearerToken("theirs", refreshToken: "r9", expiryDate: Self.future))
            return [.head(400), .body(#"{"error":"invalid_grant"}"#)]
        }
        #expect(try await bearer(file).refresh(start).accessToken == "theirs")
    }
}
