// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import FoundationXML
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct ArchiveTests {
        private let fixture = ArchiveFixture()
        private var file: Representation { fixture.file }
        private var part: Reply { fixture.part }

        private func sent(_ archive: OperationArchive) throws -> OperationArchive { try fixture.sent(archive) }
        private func startAndReceive(_ operation: RequestOperation) async { await fixture.startAndReceive(operation) }

        @Test func archiveKeepsTheWholePolicy() async throws {
            let key = "sha256/" + Data(count: 32).base64EncodedString()
            let backup = "sha256/" + Data(repeating: 1, count: 32).base64EncodedString()
            let pins = try PinSet(certificateData: TestCertificate.localhost.der)
                .union(PinSet(keys: [key], backupKeys: [backup]))
            let pinned = try SecurityPolicy(
                pinningMode: .publicKey, pins: pins, allowInvalidCertificates: true, authorities: .file("/ca.pem"),
                reportOnlyPins: ReportOnlyPins(pins, expires: Date(timeIntervalSince1970: 2_000_000_000)))
            for others in [SecurityPolicy.trustingNobody, pinned] {
                let options = try TransferOptions {
                    $0.securityPolicy = others
                    $0.securityPolicy.hosts = try SecurityPolicyTable(["a.example": pinned, "*.b.example": .default])
                    $0.proxy = try Proxy("https://proxy.test:8080")
                    $0.proxy?.securityPolicy = pinned
                }
                let operation = RequestOperation(
                    request: URLRequest(url: ScriptedNetwork.url("/")), options: options)
                let again = try RequestOperation(archive: sent(await operation.archive()))
                #expect(again.securityPolicy == options.securityPolicy)
                #expect(again.options.proxy == options.proxy)
            }
        }

        @Test func tamperedPolicyIsRefused() async throws {
            let options = try PinnedOptions.pinning(.localhost)
            let operation = RequestOperation(request: URLRequest(url: ScriptedNetwork.url("/")), options: options)
            let text = String(decoding: try JSONEncoder().encode(await operation.archive()), as: UTF8.self)
            #expect(text.contains("\"publicKey\""))
            let weaker = text.replacingOccurrences(of: "\"publicKey\"", with: "\"none\"")
            let archive = try JSONDecoder().decode(OperationArchive.self, from: Data(weaker.utf8))
            let error = #expect(throws: NetworkingError.self) { try RequestOperation(archive: archive) }
            #expect(error?.code == .invalidSecurityPolicy)
        }

        @Test func unstartedOperationIsRestoredFromItsArchive() async throws {
            try await TestServer.answering(.response(body: "[1,null]")) { server in
                var request = URLRequest("PUT", server.url("/p?q=1"), headers: ["X-One": "1"], body: "the body")
                request.timeoutInterval = 12.5
                request.cachePolicy = .reloadIgnoringLocalCacheData
                request.httpShouldHandleCookies = false
                request.allowsCellularAccess = false
                request.networkServiceType = .background
                request.mainDocumentURL = server.url("/main")
                var serializer = JSONResponseSerializer()
                serializer.validation.acceptableContentTypes = nil
                let options = try TransferOptions {
                    $0.timeouts.total = .milliseconds(61_500)
                    $0.maximumBodyByteCount = 1000
                    $0.credential = URLCredential(user: "u", password: "p", persistence: .none)
                    $0.proxy = try Proxy("http://name:word@proxy.test:8080")
                    $0.securityPolicy = try SecurityPolicy(
                        allowInvalidCertificates: true, validatesDomainName: false)
                }
                let operation = HTTPRequestOperation(
                    request: request, responseSerializer: serializer, options: options)
                (operation.name, operation.queuePriority) = ("mine", .veryHigh)
                let again = try HTTPRequestOperation(archive: sent(await operation.archive()))
                #expect(again.request == request)
                #expect(again.request?.httpBody == Data("the body".utf8))
                #expect(again.request?.timeoutInterval == 12.5)
                #expect(again.request?.cachePolicy == .reloadIgnoringLocalCacheData)
                #expect(again.request?.httpShouldHandleCookies == false)
                #expect(again.request?.allowsCellularAccess == false)
                #expect(again.request?.networkServiceType == .background)
                #expect(again.request?.mainDocumentURL == server.url("/main"))
                #expect(again.name == "mine" && again.queuePriority == .veryHigh)
                #expect(again.timeouts == Timeouts(total: .milliseconds(61_500)))
                #expect(again.options.maximumBodyByteCount == 1000)
                #expect(again.credential?.password == "p")
                #expect(again.options.proxy == options.proxy)
                #expect(again.securityPolicy == options.securityPolicy)
                again.options.proxy = nil
                #expect(await again.run().responseObject as? JSONValue == .array([.integer(1), .null]))
                #expect(operation.isReady)
            }
        }

        @Test func pausedDownloadInMemoryContinuesWhereItStopped() async throws {
            let script: TestServer.Script = { [file, part] in
                Representation.offset(of: $0) == nil ? part : file.answer(to: $0)
            }
            try await TestServer.serving(script: script) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                await startAndReceive(operation)
                operation.pause()
                await server.waitForConnectionsToClose()
                let archive = try sent(await operation.archive())
                #expect(archive.receivedByteCount > 0)
                #expect(archive.validator == "\"one\"")
                #expect(operation.isPaused)
                let again = await (try HTTPRequestOperation(archive: archive)).run()
                #expect(again.error == nil)
                #expect(again.responseData == file.body)
                #expect(Representation.offset(of: try #require(server.requests.last)) == Int(archive.receivedByteCount))
            }
        }

        @Test func changedRepresentationIsLoadedFromTheStart() async throws {
            let other = Representation(body: Data(file.body.reversed()), etag: "\"two\"")
            let script: TestServer.Script = { [part] in
                Representation.offset(of: $0) == nil ? part : other.answer(to: $0)
            }
            try await TestServer.serving(script: script) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                await startAndReceive(operation)
                operation.pause()
                await server.waitForConnectionsToClose()
                let again = await (try HTTPRequestOperation(archive: sent(await operation.archive()))).run()
                #expect(again.error == nil)
                #expect(again.responseData == other.body)
            }
        }

        @Test func downloadToAFileContinuesWhereItStopped() async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            let script: TestServer.Script = { [file, part] in
                Representation.offset(of: $0) == nil ? part : file.answer(to: $0)
            }
            try await TestServer.serving(script: script) { server in
                let operation = folder.operation(URLRequest(url: server.url()))
                await startAndReceive(operation)
                operation.pause()
                await server.waitForConnectionsToClose()
                let archive = try sent(await operation.archive())
                #expect(archive.outputFile?.path == folder.path)
                #expect(archive.validator == "\"one\"")
                operation.cancel()
                try await operation.waitUntilEnded()
                #expect(await (try HTTPRequestOperation(archive: archive)).run().error == nil)
                #expect(folder.contents == file.body)
                #expect(Representation.offset(of: try #require(server.requests.last)) == Int(archive.receivedByteCount))
            }
        }

        @Test func archivingDoesNotAffectARunningOperation() async throws {
            let gate = Gate()
            let whole = file.whole.bytes
            let reply = Reply.steps([
                .bytes(whole.dropLast(100_000)), .wait(until: gate), .bytes(whole.suffix(100_000)),
            ])
            try await TestServer.answering(reply) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                await startAndReceive(operation)
                let archive = try await operation.archive()
                #expect(archive.receivedByteCount > 0 && archive.receivedByteCount <= 200_000)
                gate.open()
                try await operation.waitUntilEnded()
                #expect(operation.responseData == file.body)
                #expect(server.requests.count == 1)
            }
        }

        @Test func bodyStreamHasNoArchive() async throws {
            var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:9/")))
            request.httpBodyStream = InputStream(data: Data())
            let operation = RequestOperation(request: request)
            await #expect(throws: NetworkingError.self) { try await operation.archive() }
        }

        private static func serializers() -> [any ResponseSerializer] {
            let validation = ResponseValidation(acceptableStatusCodes: [200, 500], acceptableContentTypes: ["a/b"])
            var http = HTTPResponseSerializer(validation: validation)
            http.stringEncoding = .isoLatin1
            var json = JSONResponseSerializer()
            json.validation = validation
            json.removesKeysWithNullValues = true
            json.removesNullElements = true
            json.allowsFragments = false
            json.stringEncoding = .isoLatin1
            var list = PropertyListResponseSerializer()
            list.validation = validation
            var parser = XMLParserResponseSerializer()
            parser.validation = validation
            var document = XMLDocumentResponseSerializer(options: [.nodePreserveCDATA])
            document.validation = validation
            var string = StringResponseSerializer(validation)
            string.stringEncoding = .isoLatin1
            return [
                http, json, list, parser, document, string, CompoundResponseSerializer([json, document, string, http]),
            ]
        }

        /// The text of an archive is all of it, so an operation restored from it gives the same text.
        @Test(arguments: 0..<7)
        func everyLibrarySerializerIsRestoredWithItsOptions(index: Int) async throws {
            func text(_ archive: OperationArchive) throws -> String {
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                return String(decoding: try encoder.encode(archive), as: UTF8.self)
            }
            let serializer = Self.serializers()[index]
            let operation = HTTPRequestOperation(
                request: URLRequest(url: ScriptedNetwork.url("/")), responseSerializer: serializer)
            let archive = try await operation.archive()
            let again = try HTTPRequestOperation(archive: sent(archive))
            #expect(type(of: again.responseSerializer) == type(of: serializer))
            #expect(again.responseSerializer.validation == serializer.validation)
            #expect(try text(await again.archive()) == text(archive))
            if let string = again.responseSerializer as? StringResponseSerializer {
                #expect(string.stringEncoding == .isoLatin1)
            }
            guard let json = again.responseSerializer as? JSONResponseSerializer else { return }
            #expect(json.removesKeysWithNullValues && json.removesNullElements && !json.allowsFragments)
            #expect(json.stringEncoding == .isoLatin1)
        }

        @Test func unarchivableSerializerIsNamed() async throws {
            let decodable = DecodableResponseSerializer([Int].self)
            for serializer in [decodable, CompoundResponseSerializer([decodable])] as [any ResponseSerializer] {
                let operation = HTTPRequestOperation(
                    request: URLRequest(url: ScriptedNetwork.url("/")), responseSerializer: serializer)
                let error = await #expect(throws: NetworkingError.self) { try await operation.archive() }
                #expect(error?.message.contains("DecodableResponseSerializer<Array<Int>>") == true)
                _ = try await operation.archive(includingSerializer: false)
            }
        }

        @Test func customSerializerMustBeProvidedAgain() async throws {
            struct Own: ResponseSerializer {
                var validation = ResponseValidation()
                func value(for response: ResponseHead, body: Data) -> Int { body.count }
            }
            try await TestServer.answering(.response(body: "four")) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()), responseSerializer: Own())
                let refusal = await #expect(throws: NetworkingError.self) { try await operation.archive() }
                #expect(refusal?.code == .invalidRequest)
                #expect(refusal?.message.hasPrefix("the response serializer Own cannot be archived") == true)
                let archive = try sent(await operation.archive(includingSerializer: false))
                let error = #expect(throws: NetworkingError.self) { try HTTPRequestOperation(archive: archive) }
                #expect(error?.message == "the archive has no response serializer, Own, so pass one")
                let again = try HTTPRequestOperation(archive: archive, responseSerializer: Own())
                #expect(await again.run().responseObject as? Int == 4)
            }
        }

        @Test func archivedOperationUsesItsManager() async throws {
            try await TestServer.answering(.response(body: "{}")) { server in
                let manager = RequestOperationManager()
                let queue = DispatchQueue(label: "test")
                manager.completionQueue = queue
                let original = manager.operation(
                    with: URLRequest(url: server.url()), responseSerializer: HTTPResponseSerializer())
                let again = try manager.operation(with: sent(await original.archive()))
                #expect(again.completionQueue === queue)
                #expect(again.services === manager.services)
                #expect(await again.run().responseString == "{}")
            }
        }
    }
}
