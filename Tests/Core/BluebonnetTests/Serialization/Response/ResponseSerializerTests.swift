// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Serializers as programs write them.
@Suite(.timeLimit(.minutes(1))) struct ResponseSerializerTests {
    private let network = ScriptedNetwork()
    private let manager: RequestOperationManager

    init() {
        manager = network.manager()
        network.answer("/rows", with: [.head(200, ["Content-Type": "text/csv; charset=utf-8"]), .body("a,b\nc")])
    }

    @Test func serializerReceivesTheResponseHead() async throws {
        let heads = Observed([ResponseHead]())
        let handle = manager.get("rows", returning: TellingSerializer { heads.append($0) })
        #expect(try await handle.value == 5)
        let head = try #require(heads.value.first)
        #expect(heads.value.count == 1)
        #expect(head.url.path == "/rows" && head.statusCode == 200 && head.method == "GET")
        #expect(head.headers["content-TYPE"] == "text/csv; charset=utf-8")
        #expect(head.mediaType == "text/csv" && head.charset == "utf-8")
        #expect(handle.operation.responseHead === head)
        #expect(head.urlResponse === handle.operation.response && head.urlResponse?.statusCode == 200)
    }

    @Test func operationHasTheResponseHeaders() async throws {
        let handle = manager.get("rows", returning: HTTPResponseSerializer())
        #expect(handle.operation.responseHeaders.isEmpty || handle.operation.isFinished)
        _ = try await handle.value
        #expect(handle.operation.responseHeaders["Content-Type"] == "text/csv; charset=utf-8")
    }

    @Test func serializerOfUnchangedBodiesIsNotCalled() async throws {
        let calls = Observed(0)
        #expect(try await manager.get("rows", returning: RawSerializer(calls: calls)).value == Data("a,b\nc".utf8))
        #expect(calls.value == 0)
        #expect(ResolvedSerializer(RawSerializer(calls: calls)).isPlain)
        #expect(ResolvedSerializer(HTTPResponseSerializer()).isPlain)
    }

    @Test func onlySerializersOfDataDeliverBodiesUnchanged() async throws {
        let handle = manager.get("rows", returning: MistakenSerializer())
        #expect(try await handle.value == 5)
        #expect(!ResolvedSerializer(MistakenSerializer()).isPlain)
    }

    @Test func serializerErrorsHaveRequestResponseAndBody() async throws {
        let handle = manager.get(
            "rows", returning: TellingSerializer { _ in throw NetworkingError(.cannotParseResponse, "no") })
        let error = await #expect(throws: NetworkingError.self) { try await handle.value }
        #expect(error?.code == .cannotParseResponse && error?.message == "no")
        #expect(error?.request?.url?.path == "/rows" && error?.response?.statusCode == 200)
        #expect(error?.body == Data("a,b\nc".utf8))
    }
}

/// Counts the bytes of a body and passes the head to a closure.
private struct TellingSerializer: ResponseSerializer {
    let validation = ResponseValidation(acceptableContentTypes: ["text/csv"])
    let tell: @Sendable (ResponseHead) throws -> Void

    func value(for response: ResponseHead, body: Data) throws -> Int {
        try tell(response)
        return body.count
    }
}

private struct RawSerializer: ResponseSerializer {
    let validation = ResponseValidation()
    let calls: Observed<Int>
    var deliversBodyUnchanged: Bool { true }

    func value(for response: ResponseHead, body: Data) -> Data {
        calls.increment()
        return Data()
    }
}

private struct MistakenSerializer: ResponseSerializer {
    let validation = ResponseValidation()
    var deliversBodyUnchanged: Bool { true }

    func value(for response: ResponseHead, body: Data) -> Int { body.count }
}
