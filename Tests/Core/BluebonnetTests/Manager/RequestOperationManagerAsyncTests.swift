// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct RequestOperationManagerAsyncTests {
    private struct User: Codable, Equatable, Sendable { var name: String }

    private let network = ScriptedNetwork()
    private let manager: RequestOperationManager

    init() {
        manager = network.manager()
        network.answer("/ada", with: [.head(200, ["Content-Type": "application/json"]), .body(#"{"name":"Ada"}"#)])
    }

    private func sent() throws -> TransferRequest { try #require(network.log.requests.last) }

    private func header(_ name: String) throws -> String? {
        try sent().headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    private func body() throws -> String? {
        guard case .data(let data) = try sent().body else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    @Test func resultTypeSelectsTheSerializer() async throws {
        let user: User = try await manager.get("ada")
        #expect(user == User(name: "Ada"))
        let optional: User? = try await manager.get("ada")
        #expect(optional == user)
        let json: JSONValue = try await manager.get("ada")
        #expect(json["name"]?.string == "Ada")
        let data: Data = try await manager.get("ada")
        #expect(data == Data(#"{"name":"Ada"}"#.utf8))
        #expect(try await manager.get("ada", as: User.self).value.name == "Ada")
        async let later: User = manager.get("ada")
        #expect(try await later == user)
    }

    @Test func operationIsCreatedWithoutStarting() async throws {
        let ready = manager.operation(
            "PUT", "ada", body: .json(1), responseSerializer: DecodableResponseSerializer(User.self))
        #expect(ready.isReady)
        manager.enqueue(ready)
        #expect(try await ready.value(as: User.self) == User(name: "Ada"))
    }

    @Test func verbWithoutTypeReturnsResponseOrThrows() async throws {
        network.answer("/gone", with: [.head(404)])
        try await manager.delete("ada")
        #expect(try sent().method == "DELETE")
        let response = try await manager.get("ada")
        #expect(response.statusCode == 200 && response.value == Data(#"{"name":"Ada"}"#.utf8))
        #expect(response.headers["content-type"] == "application/json")
        #expect(try await manager.head("ada").statusCode == 200)
        #expect(try sent().method == "HEAD")
        let error = await #expect(throws: NetworkingError.self) { try await manager.delete("gone") }
        #expect(error?.code == .unacceptableStatus)
    }

    @Test func typedCallReturnsValueAndResponse() async throws {
        let response = try await manager.get("ada", parameters: ["a": 1], as: User.self)
        #expect(response.value == User(name: "Ada") && response.statusCode == 200 && response.isSuccess)
        #expect(response.headers["Content-Type"] == "application/json")
        #expect(response.url == ScriptedNetwork.url("/ada?a=1"))
        #expect(response.summary.transferCount == 1)
    }

    @Test func textIsReturnedForAnyContentType() async throws {
        network.answer(
            "/text", with: [.head(200, ["Content-Type": "text/plain; charset=iso-8859-1"]), .body("ok")])
        let text: String = try await manager.get("text")
        #expect(text == "ok")
        let optional: String? = try await manager.get("text")
        let data: Data? = try await manager.get("text")
        #expect(optional == "ok" && data == Data("ok".utf8))
    }

    @Test func managerCodersServeTypedCalls() async throws {
        struct Account: Codable, Sendable { var userName: String }
        network.answer(
            "/account",
            with: [
                .head(200, ["Content-Type": "application/json"]), .body(#"{"user_name":"ada"}"#),
            ])
        let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        encoder.keyEncodingStrategy = .convertToSnakeCase
        (manager.decoder, manager.encoder) = (decoder, encoder)
        let account: Account = try await manager.post("account", body: .json(Account(userName: "bob")))
        #expect(account.userName == "ada")
        #expect(try body() == #"{"user_name":"bob"}"#)
    }

    @Test func managerHeadersApplyUnlessCallOverridesThem() async throws {
        manager.headers["X-Client"] = "demo"
        manager.headers["User-Agent"] = "mine"
        try await manager.get("ada")
        #expect(try header("X-Client") == "demo" && header("User-Agent") == "mine")
        try await manager.post("ada", parameters: ["a": 1], headers: ["x-client": "other"])
        #expect(try header("X-Client") == "other")
        #expect(try manager.request("GET", "ada").value(forHTTPHeaderField: "X-Client") == "demo")
    }

    @Test func configureRunsBeforeTheOperationStarts() async throws {
        let seen = Observed<[Int64]>([])
        try await manager.call("ada").timeout(.seconds(5)).priority(.high).configure { operation in
            #expect(operation.options.timeouts.total == .seconds(5) && operation.queuePriority == .high)
            operation.onDownloadProgress = { _, total, _ in seen.append(total) }
        }.response()
        await seen.becomes { $0.last == 14 }
        let operation = manager.call("ada").configure { $0.expectedDigest = "00" }.start(success: { _, _ in })
        await operation.ends()
        #expect(operation.code == .digestMismatch)
        let handle = manager.call("PUT", "ada").configure { $0.name = "put" }.start()
        #expect(handle.operation.name == "put")
        #expect(try await handle.value["name"]?.string == "Ada")
    }

    @Test func postProgressReportsTheUpload() async throws {
        network.answer("/up", with: [.sent(3), .head(200), .body("ok")])
        let seen = Observed<[Int64]>([])
        let operation = manager.post(
            "up", body: .text("abc"), responseSerializer: HTTPResponseSerializer(),
            progress: { _, total, _ in seen.append(total) }, success: { _, _ in })
        await operation.ends()
        #expect(seen.value == [3])
    }

    @Test func downloadReturnsTheFileAndChecksItsDigest() async throws {
        network.answer("/file", with: [.head(200, ["Content-Type": "a/b"]), .body("abc")])
        let folder = try ScratchFolder()
        let file = folder.file("file")
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  // FIPS 180-2, B.1
        let response = try await manager.download("file", to: file, expectedDigest: digest)
        #expect(response.statusCode == 200 && response.value.path == file.path)
        #expect(try Data(contentsOf: file) == Data("abc".utf8))
        let error = await #expect(throws: NetworkingError.self) {
            try await manager.download("file", to: file, expectedDigest: String(repeating: "0", count: 64))
        }
        #expect(error?.code == .digestMismatch)
    }

    @Test func verbsSendTheirMethods() async throws {
        let _: User = try await manager.get("ada", parameters: ["a": 1])
        #expect(try sent().method == "GET")
        #expect(try sent().url.query == "a=1")
        let _: User = try await manager.post("ada", parameters: ["a": 1])
        #expect(try (sent().method, body()) == ("POST", "a=1"))
        let _: User = try await manager.put("ada", body: .json(User(name: "x")))
        #expect(try (sent().method, body()) == ("PUT", #"{"name":"x"}"#))
        let _: User = try await manager.patch("ada", parameters: ["q": "r"], body: .text("t"))
        #expect(try (sent().method, body()) == ("PATCH", "t"))
        #expect(try sent().url.query == "q=r")
        let _: User = try await manager.delete("ada", parameters: ["a": 1])
        #expect(try (sent().method, sent().url.query) == ("DELETE", "a=1"))
        let response = try await manager.head("ada")
        #expect(response.statusCode == 200)
        #expect(try sent().method == "HEAD")
    }

    @Test func callHeadersOverrideSerializerHeaders() async throws {
        var serializer = HTTPRequestSerializer()
        serializer.headers["X-Trace"] = "default"
        manager.requestSerializer = serializer
        let _: Data = try await manager.get("ada", headers: ["x-trace": "mine", "X-Own": "1"])
        #expect(try header("X-Trace") == "mine")
        #expect(try header("X-Own") == "1")
        let _: Data = try await manager.post("ada", body: .json(1))
        #expect(try header("X-Trace") == "default")
        #expect(try header("Content-Type") == "application/json")
    }

    @Test func emptyBodyKeepsItsContentType() async throws {
        let _: Data = try await manager.post("ada", body: .data(Data(), contentType: "x/y"))
        #expect(try header("Content-Type") == "x/y")
    }

    @Test func unacceptableResponseThrowsWithTheBody() async throws {
        network.answer("/gone", with: [.head(404, ["Content-Type": "application/json"]), .body("{}")])
        network.answer("/page", with: [.head(200, ["Content-Type": "text/html"]), .body("<p>")])
        var errors: [NetworkingError] = []
        for path in ["gone", "page", "ada"] {
            do throws(NetworkingError) {
                let _: [Int] = try await manager.get(path)
            } catch {
                errors.append(error)
            }
        }
        #expect(errors.map(\.code) == [.unacceptableStatus, .unacceptableContentType, .cannotParseResponse])
        #expect(errors[0].body == Data("{}".utf8))
    }

    @Test func structuredTypesAndManagerStatusesAreAccepted() async throws {
        network.answer("/problem", with: [.head(400, ["Content-Type": "application/problem+json"]), .body("[1]")])
        manager.responseSerializer = HTTPResponseSerializer(validation: .init(acceptableStatusCodes: [400]))
        let numbers: [Int] = try await manager.get("problem")
        #expect(numbers == [1])
    }

    @Test func currentManagerStatusesApplyToData() async throws {
        network.answer("/teapot", with: [.head(418), .body("short")])
        let refused = await #expect(throws: NetworkingError.self) { let _: Data = try await manager.get("teapot") }
        #expect(refused?.code == .unacceptableStatus)
        manager.responseSerializer = HTTPResponseSerializer(validation: .init(acceptableStatusCodes: [418]))
        let data: Data = try await manager.get("teapot")
        #expect(data == Data("short".utf8))
    }

    @Test func serializerValidationIsReadOnceWhenSet() async throws {
        network.answer("/teapot", with: [.head(418), .body("short")])
        let codes = Observed<IndexSet>([418])
        manager.responseSerializer = ChangingSerializer(codes: codes)
        codes.update { $0 = [] }
        for _ in 0..<2 {
            let data: Data = try await manager.get("teapot")
            #expect(data == Data("short".utf8))
        }
        manager.responseSerializer = ChangingSerializer(codes: codes)
        let refused = await #expect(throws: NetworkingError.self) { let _: Data = try await manager.get("teapot") }
        #expect(refused?.code == .unacceptableStatus)
    }

    @Test func invalidRequestThrowsAndIsNotSent() async throws {
        var errors: [NetworkingError.Code] = []
        do throws(NetworkingError) { let _: User = try await manager.get("http://") } catch {
            errors.append(error.code)
        }
        do throws(NetworkingError) {
            let _: User = try await manager.post("ada", body: .json(Double.nan))
        } catch { errors.append(error.code) }
        do throws(NetworkingError) {
            let _: User = try await manager.get("ada", headers: ["X": "a\r\nb"])
        } catch { errors.append(error.code) }
        do throws(NetworkingError) {
            let _: User = try await manager.post("ada", body: .data(Data(), contentType: "a\r\nb"))
        } catch { errors.append(error.code) }
        #expect(errors == [.badURL, .invalidRequest, .invalidRequest, .invalidRequest])
        #expect(network.log.requests.isEmpty)
    }

    @Test func cancellingTheTaskCancelsTheOperation() async throws {
        network.answer("/slow", with: [.wait(Gate())])
        let task = Task { () async throws(NetworkingError) -> User in try await manager.get("slow") }
        await network.log.sees(.begun(1))
        task.cancel()
        let error = await #expect(throws: NetworkingError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }
}

/// Accepts other statuses each time its validation is read.
private struct ChangingSerializer: ResponseSerializer {
    let codes: Observed<IndexSet>
    var validation: ResponseValidation { ResponseValidation(acceptableStatusCodes: codes.value) }

    func value(for response: ResponseHead, body: Data) -> Data { body }
}
