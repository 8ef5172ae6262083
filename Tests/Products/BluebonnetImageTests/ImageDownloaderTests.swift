// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetImage
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@Suite(.enabled(if: ImageMagick.isAvailable), .serialized, .timeLimit(.minutes(1))) struct ImageDownloaderTests {
    /// Records the end of each download: its error code, or "image".
    private struct Ends {
        private let codes = Observed([String]())

        var handler: ImageDownloader.Completion {
            { [codes] result in codes.append((try? result.get().image).map { _ in "image" } ?? result.code) }
        }

        var all: [String] { codes.value }

        func reach(_ count: Int, at location: SourceLocation = #_sourceLocation) async {
            await codes.becomes(at: location) { $0.count >= count }
        }
    }

    private let file: Data

    init() throws { file = try ImageFixture.make(ImageFixture.corners, "png") }

    private func serving(
        _ gate: Gate? = nil, _ body: (TestServer) async throws -> Void
    ) async throws {
        let file = file
        try await TestServer.serving { request in
            if request.path == "/missing" { return .response(status: 404) }
            if request.path == "/broken" { return .response(headers: ["Content-Type": "image/png"], body: "no image") }
            var reply = Reply.response(headers: ["Content-Type": "image/png"], body: file)
            if let gate { reply = Reply([.wait(until: gate)] + reply.steps) }
            return reply
        } _: { server in
            try await body(server)
        }
    }

    private func downloader(_ change: (inout ImageDownloader.Configuration) -> Void = { _ in }) -> ImageDownloader {
        var configuration = ImageDownloader.Configuration()
        change(&configuration)
        return ImageDownloader(configuration: configuration)
    }

    @Test func imageIsDownloadedOnceAndCached() async throws {
        try await serving { server in
            let downloader = downloader()
            let loaded = try await downloader.image(for: server.url("/a"))
            #expect(loaded.quads == ImageFixture.cornerPixels)
            let kept = try await downloader.image(for: server.url("/a"))
            #expect(kept == loaded)
            #expect(server.requests.count == 1)
            let ends = Ends()
            #expect(downloader.download(URLRequest(url: server.url("/a")), completion: ends.handler) == nil)
            await ends.reach(1)
            #expect(ends.all == ["image"])
            #expect(downloader.imageCache?.removeImage(withIdentifier: server.url("/a").absoluteString) == true)
            _ = try await downloader.image(for: server.url("/a"))
            #expect(server.requests.count == 2)
        }
    }

    @Test func requestCachePolicyIsRespected() async throws {
        try await serving { server in
            let downloader = downloader()
            var request = URLRequest(url: server.url("/a"))
            request.cachePolicy = .returnCacheDataDontLoad
            let error = await #expect(throws: NetworkingError.self) { try await downloader.image(for: request) }
            #expect(error?.code == .notConnected)
            #expect(server.requests.isEmpty)
            request.cachePolicy = .reloadIgnoringLocalCacheData
            _ = try await downloader.image(for: request)
            _ = try await downloader.image(for: request)
            #expect(server.requests.count == 2)
        }
    }

    @Test func equalRequestsShareOneTransfer() async throws {
        let gate = Gate()
        try await serving(gate) { server in
            let (downloader, ends) = (downloader(), Ends())
            for _ in 0..<10 { downloader.download(URLRequest(url: server.url("/a")), completion: ends.handler) }
            var other = URLRequest(url: server.url("/a"))
            other.setValue("Bearer x", forHTTPHeaderField: "Authorization")
            downloader.download(other, completion: ends.handler)
            gate.open()
            await ends.reach(11)
            #expect(ends.all == Array(repeating: "image", count: 11))
            #expect(server.requests.count == 2)
        }
    }

    @Test func receiptHasCallersIdentifier() async throws {
        let gate = Gate()
        try await serving(gate) { server in
            let (downloader, ends, id) = (downloader(), Ends(), UUID())
            let request = URLRequest(url: server.url("/a"))
            let receipt = try #require(downloader.download(request, receiptID: id, completion: ends.handler))
            let other = downloader.download(request, completion: ends.handler)
            #expect(receipt.id == id)
            #expect(other?.id != id)
            downloader.cancel(receipt)
            await ends.reach(1)
            gate.open()
            await ends.reach(2)
            #expect(ends.all == ["cancelled", "image"])
        }
    }

    @Test func sharedDownloaderIsSingleInstanceWithCache() async throws {
        try await serving { server in
            let url = server.url("/shared")
            _ = try await ImageDownloader.shared.image(for: url)
            #expect(ImageDownloader.shared === ImageDownloader.shared)
            let cache = try #require(ImageDownloader.shared.imageCache)
            #expect(cache.image(for: URLRequest(url: url)) != nil)
            #expect(cache.removeImage(for: URLRequest(url: url)))
        }
    }

    @Test func sharedTransferEndsWhenTheLastDownloadLeaves() async throws {
        let gate = Gate()
        try await serving(gate) { server in
            let (downloader, ends) = (downloader(), Ends())
            let request = URLRequest(url: server.url("/a"))
            let first = try #require(downloader.download(request, completion: ends.handler))
            let second = try #require(downloader.download(request, completion: ends.handler))
            downloader.cancel(first)
            await ends.reach(1)
            #expect(ends.all == ["cancelled"])
            downloader.cancel(first)
            downloader.cancel(second)
            await ends.reach(2)
            #expect(ends.all == ["cancelled", "cancelled"])
            // A download that starts after the last one has left is a new transfer and is not cancelled with the old
            // one.
            downloader.download(request, completion: ends.handler)
            gate.open()
            await ends.reach(3)
            #expect(ends.all == ["cancelled", "cancelled", "image"])
        }
    }

    @Test(arguments: [ImageDownloader.Prioritization.firstInFirstOut, .lastInFirstOut])
    func waitingDownloadsStartInConfiguredOrder(order: ImageDownloader.Prioritization) async throws {
        let gate = Gate()
        try await serving(gate) { server in
            let ends = Ends()
            let downloader = downloader {
                $0.prioritization = order
                $0.maximumActiveDownloadCount = 1
            }
            for name in ["a", "b", "c", "d"] {
                downloader.download(URLRequest(url: server.url("/" + name)), completion: ends.handler)
            }
            gate.open()
            await ends.reach(4)
            let expected = order == .firstInFirstOut ? ["/a", "/b", "/c", "/d"] : ["/a", "/d", "/c", "/b"]
            #expect(server.requests.map(\.path) == expected)
        }
    }

    @Test func failedDownloadsReleaseTheirSlots() async throws {
        try await serving { server in
            let (downloader, ends) = (downloader(), Ends())
            for number in 0..<20 {
                let path = number.isMultiple(of: 2) ? "/missing" : "/broken"
                downloader.download(URLRequest(url: server.url("\(path)?\(number)")), completion: ends.handler)
            }
            await ends.reach(20)
            #expect(Set(ends.all) == ["unacceptableStatus", "cannotParseResponse"])
            let image = try await downloader.image(for: server.url("/a"))
            #expect(image.width == 2)
        }
    }

    @Test func cancelledWaitingDownloadIsNeverSent() async throws {
        let gate = Gate()
        try await serving(gate) { server in
            let (downloader, ends) = (downloader { $0.maximumActiveDownloadCount = 1 }, Ends())
            downloader.download(URLRequest(url: server.url("/a")), completion: ends.handler)
            let waiting = try #require(
                downloader.download(URLRequest(url: server.url("/b")), completion: ends.handler))
            downloader.cancel(waiting)
            gate.open()
            await ends.reach(2)
            #expect(Set(ends.all) == ["cancelled", "image"])
            #expect(server.requests.map(\.path) == ["/a"])
        }
    }

    @Test func cancelledTaskCancelsDownload() async throws {
        try await serving(Gate()) { server in
            let downloader = downloader()
            let task = Task { try await downloader.image(for: server.url("/a")) }
            task.cancel()
            var code: NetworkingError.Code?
            if case .failure(let error) = await task.result { code = (error as? NetworkingError)?.code }
            #expect(code == .cancelled)
        }
    }

    @Test func requestWithoutURLFails() async throws {
        var request = URLRequest(url: try #require(URL(string: "http://h/")))
        request.url = nil
        let ends = Ends()
        #expect(downloader().download(request, completion: ends.handler) == nil)
        await ends.reach(1)
        #expect(ends.all == ["badURL"])
    }
}

extension Result where Failure == NetworkingError {
    /// The code of the error; empty for a success.
    fileprivate var code: String {
        if case .failure(let error) = self { error.code.rawValue } else { "" }
    }
}
