// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Token files that are locked, cannot be written, or follow the tokens that the program sets.
@Suite(.timeLimit(.minutes(1))) struct TokenKeeperTests {
    private let network = ScriptedNetwork()
    private let now = Observed(VirtualTime.start)
    private let errors = Observed([NetworkingError.Code]())
    private let folder: TemporaryFolder
    private let file: TokenFile

    init() throws {
        folder = try TemporaryFolder()
        file = TokenFile(folder.path("token"))
    }

    private func bearer() -> BearerAuthenticator {
        BearerAuthenticator(
            TokenEndpoint(ScriptedNetwork.url("/token"), clientID: "app"), file: file, TransferOptions(),
            services: network.services, date: { [now] in now.value }, lockTries: 1,
            onFileError: { [errors] in errors.append($0.code) })
    }

    /// Answers with tokens a1, r1; a2, r2 and so on, each only for the refresh token before it.
    private func answerInTurn() {
        network.answer("/token") { [network] request in
            let number = network.log.requests.count
            let sent = request.copiedBody.map { String(decoding: $0, as: UTF8.self) } ?? ""
            guard sent.hasPrefix("grant_type=refresh_token&refresh_token=r\(number - 1)&") else {
                return [.head(400), .body(#"{"error":"invalid_grant"}"#)]
            }
            return [.head(200), .body(#"{"access_token":"a\#(number)","refresh_token":"r\#(number)"}"#)]
        }
    }

    /// Makes writing under the lock fail, or succeed again.
    private func setWriting(fails: Bool) {
        let path = folder.path("token.new")
        #expect((fails ? mkdir(path, 0o700) : rmdir(path)) == 0)
    }

    @Test func unwritableTokenIsNotLost() async throws {
        defer { folder.remove() }
        answerInTurn()
        try file.write(BearerToken("a0", refreshToken: "r0", expiryDate: VirtualTime.start))
        let bearer = bearer()
        setWriting(fails: true)
        let first = try await bearer.refresh(nil)
        #expect(first == BearerToken("a1", refreshToken: "r1"))
        #expect(errors.value == [.cannotWriteFile] && bearer.fileError?.code == .cannotWriteFile)
        // The token in the file is out of date and is not used for the refresh.
        let second = try await bearer.refresh(first)
        #expect(second.refreshToken == "r2" && network.log.requests.count == 2)
        #expect(try file.read()?.accessToken == "a0")
        setWriting(fails: false)
        #expect(try await bearer.refresh(second).refreshToken == "r3")
        let kept = try file.read()
        #expect(kept?.refreshToken == "r3" && bearer.fileError == nil)
    }

    @Test func unwrittenTokenIsWrittenAtALaterUse() async throws {
        defer { folder.remove() }
        answerInTurn()
        try file.write(BearerToken("a0", refreshToken: "r0", expiryDate: VirtualTime.start))
        let bearer = bearer()
        setWriting(fails: true)
        let token = try await bearer.refresh(nil)
        var request = network.request("/a")
        setWriting(fails: false)
        bearer.apply(token, to: &request)
        #expect(try file.read()?.accessToken == "a0")  // the write is not retried at each use
        now.update { $0 += 10 }
        bearer.apply(token, to: &request)
        let kept = try file.read()
        #expect(kept == token && bearer.fileError == nil && errors.value.count == 1)
    }

    @Test(arguments: [false, true]) func retriedWriteKeepsATokenOfAnotherProcess(isAtAUse: Bool) async throws {
        defer { folder.remove() }
        answerInTurn()
        try file.write(BearerToken("a0", refreshToken: "r0", expiryDate: VirtualTime.start))
        let bearer = bearer()
        setWriting(fails: true)
        let ours = try await bearer.refresh(nil)
        let theirs = BearerToken("theirs", refreshToken: "t")
        try file.write(theirs)  // by a program that takes no lock
        setWriting(fails: false)
        if isAtAUse {
            now.update { $0 += 10 }
            var request = network.request("/a")
            bearer.apply(ours, to: &request)
        }
        #expect(try await bearer.refresh(ours) == theirs)
        let kept = try file.read()
        #expect(kept == theirs && bearer.fileError == nil && network.log.requests.count == 1)
    }

    @Test func retriedWriteDoesNotRestoreARemovedFile() async throws {
        defer { folder.remove() }
        answerInTurn()
        try file.write(BearerToken("a0", refreshToken: "r0", expiryDate: VirtualTime.start))
        let bearer = bearer()
        setWriting(fails: true)
        let ours = try await bearer.refresh(nil)
        try file.remove()
        setWriting(fails: false)
        now.update { $0 += 10 }
        var request = network.request("/a")
        bearer.apply(ours, to: &request)
        let kept = try file.read()
        #expect(kept == nil && bearer.fileError == nil)
    }

    @Test func tokenSetByTheProgramOverwritesAnotherProcess() async throws {
        defer { folder.remove() }
        try file.write(BearerToken("old"))
        setWriting(fails: true)
        let bearer = bearer()
        let mine = BearerToken("mine")
        await bearer.credentialWasSet(mine)
        try file.write(BearerToken("theirs"))
        setWriting(fails: false)
        now.update { $0 += 10 }
        var request = network.request("/a")
        bearer.apply(mine, to: &request)
        let kept = try file.read()
        #expect(kept == mine)
    }

    @Test func programCanAwaitTheTokenFile() async throws {
        defer { folder.remove() }
        let shared = SharedAuthenticator(bearer(), credential: nil, origins: [ScriptedNetwork.url("/")])
        await shared.waitUntilCredentialIsKept()
        for number in 0..<20 {
            shared.setCredential(BearerToken("\(number)"))
            await shared.waitUntilCredentialIsKept()
            let kept = try file.read()
            #expect(kept?.accessToken == "\(number)")
        }
        shared.removeCredential()
        await shared.waitUntilCredentialIsKept()
        #expect(try file.read() == nil)
    }

    @Test func pendingWriteOrInvalidTokenHasNoField() async throws {
        defer { folder.remove() }
        let bearer = bearer()
        #expect(bearer.field(of: BearerToken("a")) == HeaderFields.Field(name: "Authorization", value: "Bearer a"))
        for text in ["a\n", "a\u{0}", "a\u{7F}"] { #expect(bearer.field(of: BearerToken(text)) == nil) }
        setWriting(fails: true)
        await bearer.credentialWasSet(BearerToken("b"))
        #expect(bearer.field(of: BearerToken("b")) == nil)
        setWriting(fails: false)
        await bearer.credentialWasSet(BearerToken("b"))
        #expect(bearer.field(of: BearerToken("b"))?.value == "Bearer b")
    }

    @Test func settingOrRemovingATokenUpdatesTheFile() async throws {
        defer { folder.remove() }
        let old = BearerToken("old", refreshToken: "r")
        try file.write(old)
        let shared = SharedAuthenticator(bearer(), credential: old, origins: [ScriptedNetwork.url("/")])
        shared.setCredential(BearerToken("mine", refreshToken: "m"))
        await becomes("mine") { try? file.read()?.accessToken }
        shared.removeCredential()
        await becomes(false) { FileManager.default.fileExists(atPath: file.path) }
        let operation = await network.operation(
            "/a", options: TransferOptions { $0.authenticator = shared }
        ).run()
        #expect((operation.error?.underlying as? TokenError)?.code == .noRefreshToken)
        #expect(network.log.requests.isEmpty && errors.value.isEmpty)
    }

    @Test(arguments: [false, true]) func runningRefreshDoesNotRestoreAReplacedToken(isSet: Bool) async throws {
        defer { folder.remove() }
        let (gate, reached) = (Gate(), Observed(0))
        network.answer(
            "/token", with: [.reach(reached), .wait(gate), .head(200), .body(#"{"access_token":"late"}"#)])
        let old = BearerToken("old", refreshToken: "r", expiryDate: .distantPast)
        try file.write(old)
        let shared = SharedAuthenticator(bearer(), credential: old, origins: [ScriptedNetwork.url("/")])
        let operation = network.operation("/a", options: TransferOptions { $0.authenticator = shared })
        operation.start()
        await reached.becomes(1)
        if isSet { shared.setCredential(BearerToken("mine")) } else { shared.removeCredential() }
        gate.open()
        await operation.ends()
        #expect((operation.error == nil) == isSet)
        await becomes(isSet ? "mine" : nil) { try? file.read()?.accessToken }
        #expect(network.log.entries.value.paths == (isSet ? ["/token", "/a"] : ["/token"]))
    }

    @Test func tokenSetByTheProgramOverridesAnUnwritableFile() async throws {
        defer { folder.remove() }
        network.answer("/token", with: [.head(200), .body(#"{"access_token":"next"}"#)])
        try file.write(BearerToken("theirs", refreshToken: "t"))
        setWriting(fails: true)
        let bearer = bearer()
        let mine = BearerToken("mine", refreshToken: "m")
        await bearer.credentialWasSet(mine)
        #expect(bearer.fileError?.code == .cannotWriteFile)
        #expect(try await bearer.refresh(mine) == BearerToken("next", refreshToken: "m"))
        await bearer.credentialWasSet(nil)  // removing needs no other file
        #expect(try file.read() == nil && bearer.fileError == nil)
    }
}

// MARK: - Locks and folders

extension TokenKeeperTests {
    @Test func fileLockIsExclusive() throws {
        defer { folder.remove() }
        let path = folder.path("token.lock")
        var first = try FileLock(path)
        #expect(first != nil)
        #expect(try FileLock(path) == nil)
        withExtendedLifetime(first) {}
        first = nil
        #expect(try FileLock(path) != nil)
    }

    @Test func unlockableFileIsAnError() throws {
        defer { folder.remove() }
        #expect(symlink("elsewhere", folder.path("link")) == 0)
        for path in [folder.url.path, folder.path("link"), folder.path("missing/token.lock")] {
            let error = #expect(throws: NetworkingError.self) { try FileLock(path) }
            #expect(error?.code == .cannotOpenFile)
        }
    }

    @Test func lockTimeoutFailsTheRefreshUnlessTheFileIsNewer() async throws {
        defer { folder.remove() }
        let lock = try FileLock(file.lockPath)
        let start = BearerToken("a0", refreshToken: "r0")
        try file.write(start)
        let error = await #expect(throws: NetworkingError.self) { try await bearer().refresh(start) }
        #expect(error?.code == .cannotOpenFile && error.map(bearer().isFinal) == false)
        let theirs = BearerToken("theirs", refreshToken: "r1")
        try file.write(theirs)
        #expect(try await bearer().refresh(start) == theirs)
        #expect(network.log.requests.isEmpty)
        withExtendedLifetime(lock) {}
    }

    @Test func symbolicLinkIsFollowedToItsFile() throws {
        defer { folder.remove() }
        try file.write(BearerToken("a"))
        let link = TokenFile(folder.path("link"))
        #expect(symlink("token", link.path) == 0)
        #expect(link.lockPath == file.lockPath)
        try link.write(BearerToken("b"))
        #expect(try file.read()?.accessToken == "b")
        let kind = try FileManager.default.attributesOfItem(atPath: link.path)[.type] as? FileAttributeType
        #expect(kind == .typeSymbolicLink)
    }

    @Test func restOfAnInterruptedWriteIsReplaced() throws {
        defer { folder.remove() }
        _ = try folder.write("token.new", "half a tok")
        try file.write(BearerToken("a"), isLocked: true)
        #expect(try file.read()?.accessToken == "a")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["token"])
    }
}
