// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Operations that a program starts, pauses and releases.
@Suite(.timeLimit(.minutes(1))) struct ReleasedOperationTests {
    private let network = ScriptedNetwork(limit: 1)
    private let gate = Gate()
    private let isHalfway = Observed(0)
    private let folder: ScratchFolder
    private static let body = Data.patterned(byteCount: 200_000)

    init() throws {
        folder = try ScratchFolder()
        let half = Self.body.count / 2
        let head = ["ETag": "\"v1\"", "Content-Length": "\(Self.body.count)"]
        let range = [
            "ETag": "\"v1\"", "Content-Range": "bytes \(half)-\(Self.body.count - 1)/\(Self.body.count)",
        ]
        network.answer(
            "/half",
            inTurn: [
                [.head(200, head), .bytes(Self.body.prefix(half)), .reach(isHalfway), .wait(gate)],
                [.head(206, range), .bytes(Self.body.dropFirst(half))],
            ])
    }

    /// The paths in the folder that this process has open.
    private var openNames: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return all.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { $0.hasPrefix(folder.url.path) }
    }

    /// Starts an operation, pauses it halfway and releases it. The result returns the operation while it exists.
    private func pauseHalfway(
        method: String = "GET", _ change: (HTTPRequestOperation) -> Void = { _ in }
    ) async -> @Sendable () -> HTTPRequestOperation? {
        let operation = network.operation("/half", method: method)
        change(operation)
        operation.start()
        await isHalfway.becomes(1)
        #expect(operation.pause())
        await NetworkThread.shared.catchesUp()
        return { [weak operation] in operation }
    }

    @Test func pausedDownloadIsReleasedWithItsFile() async throws {
        let operation = await pauseHalfway { $0.outputFile = folder.file("file") }
        await becomes(true) { operation() == nil }
        await becomes([]) { openNames }
        let partialFile = RequestOperation.partialFile(of: folder.file("file"))
        #expect(try Data(contentsOf: partialFile) == Self.body.prefix(Self.body.count / 2), "it can be continued")
        let next = network.operation("/half")
        next.outputFile = folder.file("file")
        next.start()
        await next.ends()
        #expect(next.error == nil, "lock and path are free")
        #expect(try Data(contentsOf: folder.file("file")) == Self.body)
        #expect(network.log.requests.last?.value(of: "Range") == "bytes=\(Self.body.count / 2)-")
    }

    @Test func requestPausedWithItsConnectionIsAborted() async throws {
        let operation = await pauseHalfway(method: "POST")
        await becomes(true) { operation() == nil }
        await becomes(.aborted(1)) { network.log.events.last }
    }

    @Test func handlerCapturesAreReleasedOffTheNetworkThread() async throws {
        let thread = Observed<Bool?>(nil)
        let operation = await pauseHalfway { operation in
            let object = ReleaseObserver { thread.update { $0 = NetworkThread.isCurrent } }
            operation.onRedirect = { [object] _, request, _ in
                withExtendedLifetime(object) {}
                return request
            }
        }
        await thread.becomes(false)
        #expect(operation() == nil)
    }

    @Test func resumedOperationIsKeptUntilItsEnd() async throws {
        let ended = Gate()
        do {
            let operation = network.operation("/half")
            operation.completionBlock = { ended.open() }
            operation.start()
            await isHalfway.becomes(1)
            operation.pause()
            await NetworkThread.shared.catchesUp()
            operation.resume()
        }
        await ended.wait()
    }

    @Test func startedOperationIsKeptUntilItsEnd() async throws {
        let ended = Gate()
        network.answer("/a", with: [.head(200), .body("a")])
        do {
            let operation = network.operation("/a")
            operation.completionBlock = { ended.open() }
            operation.start()
        }
        await ended.wait()
    }
}

/// Calls a closure when it is released.
private final class ReleaseObserver: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    deinit { action() }
}
