// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct ResponseProcessingTests {
    private let network = ScriptedNetwork()

    /// An operation with a serializer; by default the manager's default serializer, which is for JSON.
    private func operation(
        _ method: String = "GET", serializer: any ResponseSerializer = JSONResponseSerializer()
    ) -> HTTPRequestOperation {
        network.manager().operation(with: network.request("/p", method: method), responseSerializer: serializer)
    }

    private func answer(_ fields: [String: String], status: Int = 200, body: String? = "<p>") {
        network.answer("/p", with: [.head(status, fields)] + (body.map { [.body($0)] } ?? []))
    }

    // MARK: - Content types that do not describe the value

    @Test func headRequestIgnoresContentType() async {
        answer(["Content-Type": "text/html", "Content-Length": "9"], body: nil)
        let operation = await operation("HEAD").run()
        #expect(operation.error == nil)
        #expect(operation.responseObject as? JSONValue == .null)
        answer(["Content-Type": "text/html"], body: nil)
        #expect(await self.operation("HEAD").run().error == nil)
    }

    @Test(arguments: [204, 205])
    func contentTypeOfBodilessResponseIsIgnored(status: Int) async {
        answer(["Content-Type": "text/html"], status: status, body: nil)
        #expect(await operation().run().error == nil)
    }

    @Test func emptyBodyOfWrongTypeFails() async {
        answer(["Content-Type": "text/html", "Content-Length": "0"], body: nil)
        #expect(await operation().run().code == .unacceptableContentType)
    }

    @Test func headRequestWithUnacceptableStatusFails() async {
        answer(["Content-Type": "text/html"], status: 404, body: nil)
        #expect(await operation("HEAD").run().code == .unacceptableStatus)
    }

    @Test func downloadIgnoresContentTypesOfJSONSerializer() async throws {
        let folder = try DownloadFolder()
        defer { folder.remove() }
        answer(["Content-Type": "text/html"])
        let operation = operation()
        operation.outputFile = URL(fileURLWithPath: folder.path)
        #expect(await operation.run().error == nil)
        #expect(folder.contents == Data("<p>".utf8))
    }

    @Test func downloadFailsIfHTTPSerializerRequiresAnotherType() async throws {
        let folder = try DownloadFolder()
        defer { folder.remove() }
        answer(["Content-Type": "text/html"])
        let validation = ResponseValidation(acceptableContentTypes: ["image/*"])
        let operation = operation(serializer: HTTPResponseSerializer(validation: validation))
        operation.outputFile = URL(fileURLWithPath: folder.path)
        #expect(await operation.run().code == .unacceptableContentType)
        #expect(folder.contents == nil)
    }

    @Test func chunksIgnoreContentType() async throws {
        answer(["Content-Type": "text/html"])
        let operation = operation()
        let chunks = operation.chunks
        operation.start()
        var body = Data()
        for try await chunk in chunks { body += chunk }
        #expect(body == Data("<p>".utf8))
    }

    // MARK: - Errors

    @Test func errorContainsRequestResponseAndTransferCount() async {
        network.answer("/p", with: [.head(302, ["Location": "/end?token=t"])])
        network.answer("/end", with: [.head(404)])
        let error = await operation().run().error
        #expect(error?.transferCount == 2)
        #expect(error?.response?.statusCode == 404)
        #expect(
            error.map { "\($0)" }
                == "unacceptableStatus: the server answered with status 404 "
                + "(GET http://scripted.test/end?token=REDACTED, transfer 2)")
        #expect(error?.message == "the server answered with status 404")
    }

    @Test func baseClassErrorContainsRequestResponseAndTransferCount() async {
        network.answer("/p", with: [.head(200), .body("x"), .fail(.connectionLost)])
        let operation = RequestOperation(
            plan: RequestPlan(network.request("/p"), options: ResolvedOptions(TransferOptions())),
            services: network.services)
        let error = await operation.run().error
        #expect(error?.request?.url?.path == "/p")
        #expect(error?.response?.statusCode == 200)
        #expect(error?.transferCount == 1)
    }

    @Test func errorOfUnsentRequestHasNoTransfer() async {
        let operation = operation()
        operation.cancel()
        let error = await operation.run().error
        #expect(error?.transferCount == 0)
        #expect(error.map { "\($0)" }?.hasSuffix("(GET http://scripted.test/p)") == true)
    }

    @Test func chunksThrowTheOperationError() async {
        network.answer("/p", with: [.head(200), .fail(.connectionLost)])
        let operation = operation()
        let chunks = operation.chunks
        operation.start()
        let error = await #expect(throws: NetworkingError.self) { for try await _ in chunks {} }
        #expect(error?.code == .connectionLost)
    }

    // MARK: - Text

    @Test func textWithoutCharsetUsesSerializerEncoding() async {
        network.answer("/p", with: [.head(200, ["Content-Type": "text/plain"]), .bytes(Data([0xE9]))])
        #expect(await operation(serializer: HTTPResponseSerializer()).run().responseString == nil)
        var serializer = HTTPResponseSerializer()
        serializer.stringEncoding = .isoLatin1
        let latin = await operation(serializer: serializer).run()
        #expect(latin.responseString == "é")
        #expect(latin.responseStringEncoding == .isoLatin1)
        let type = "text/plain; charset=windows-1251"
        network.answer("/p", with: [.head(200, ["Content-Type": type]), .bytes(Data([0xE9]))])
        #expect(await operation(serializer: serializer).run().responseString == "й")
    }

    @Test func jsonWithoutCharsetUsesSerializerEncoding() async {
        let fields = ["Content-Type": "application/json"]
        network.answer("/p", with: [.head(200, fields), .bytes(Data([0x22, 0xE9, 0x22]))])
        #expect(await operation().run().code == .cannotParseResponse)
        var serializer = JSONResponseSerializer()
        serializer.stringEncoding = .isoLatin1
        let latin = await operation(serializer: serializer).run()
        #expect(latin.responseObject as? JSONValue == .string("é"))
        #expect(latin.responseString == "\"é\"")
    }
}
