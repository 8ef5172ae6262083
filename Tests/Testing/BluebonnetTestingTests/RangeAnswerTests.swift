// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct RangeAnswerTests {
    private static let bytes = Data("0123456789".utf8)

    private func answer(
        _ headers: HeaderFields, to answer: TestAnswer = .data(bytes).answeringRanges()
    ) async throws -> Response<Data> {
        let manager = RequestOperationManager { _ in answer }
        return try await manager.call("file").headers(headers)
            .configure { $0.responseSerializer = AnyStatus.serializer }.response()
    }

    @Test(arguments: [
        ("bytes=2-4", "234", "bytes 2-4/10"), ("bytes=7-", "789", "bytes 7-9/10"), ("bytes=-3", "789", "bytes 7-9/10"),
        ("bytes=8-99", "89", "bytes 8-9/10"), ("bytes=-99", "0123456789", "bytes 0-9/10"),
    ])
    func rangeGetsItsBytes(field: String, body: String, contentRange: String) async throws {
        let response = try await answer(["Range": field])
        #expect(response.statusCode == 206)
        #expect(String(decoding: response.value, as: UTF8.self) == body)
        #expect(response.headers["Content-Range"] == contentRange)
    }

    @Test(arguments: ["bytes=1-2,4-5", "bytes=4-2", "bytes=-", "lines=1-2"])
    func unsupportedRangeGetsTheWholeBody(field: String) async throws {
        let response = try await answer(["Range": field])
        #expect(response.statusCode == 200)
        #expect(response.value == Self.bytes)
    }

    @Test func rangeBeyondTheEndIsNotSatisfiable() async throws {
        let response = try await answer(["Range": "bytes=10-"])
        #expect(response.statusCode == 416)
        #expect(response.headers["Content-Range"] == "bytes */10")
    }

    @Test func changedValidatorGetsTheWholeBody() async throws {
        let tag = try #require(try await answer([:]).headers["ETag"])
        #expect(try await answer(["Range": "bytes=1-", "If-Range": tag]).statusCode == 206)
        #expect(try await answer(["Range": "bytes=1-", "If-Range": "\"other\""]).statusCode == 200)
    }

    @Test func answerWithoutRangesSendsTheWholeBody() async throws {
        let response = try await answer(["Range": "bytes=1-2"], to: .data(Self.bytes))
        #expect(response.statusCode == 200 && response.headers["ETag"] == nil)
    }

    @Test func pausedDownloadResumesWhereItStopped() async throws {
        let bytes = Data((0..<300_000).map { UInt8($0 % 251) })
        let tally = Tally()
        let manager = RequestOperationManager { request in
            let whole = TestAnswer.data(bytes).answeringRanges()
            return tally.next() == 1 ? whole.stalling(afterByteCount: 100_000) : whole
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let operation = manager.operation("GET", "big.bin")
        operation.responseSerializer = HTTPResponseSerializer()
        operation.outputFile = file
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        operation.onDownloadProgress = { _, total, _ in if total > 0 { arrived.yield() } }
        manager.operationQueue.addOperation(operation)
        for await _ in arrivals { break }
        operation.pause()
        operation.resume()
        try await operation.waitUntilEnded()
        #expect(operation.error == nil)
        #expect(try Data(contentsOf: file) == bytes)
        #expect(manager.sentRequests.count == 2)
        let range = try #require(manager.sentRequests.last?.headers["Range"])
        let start = try #require(range.wholeMatch(of: /bytes=(\d+)-/).flatMap { Int($0.1) })
        #expect((1...100_000).contains(start))
        #expect(manager.sentRequests.last?.headers["If-Range"] != nil)
    }
}

/// Accepts every status.
private enum AnyStatus {
    static var serializer: HTTPResponseSerializer {
        var serializer = HTTPResponseSerializer()
        serializer.validation.acceptableStatusCodes = nil
        return serializer
    }
}
