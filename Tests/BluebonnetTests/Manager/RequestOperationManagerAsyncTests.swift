// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TestServer
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

    @Test func theResultsTypeDecides() async throws {
        let user: User = try await manager.get("ada")
        #expect(user == User(name: "Ada"))
        let optional: User? = try await manager.get("ada")
        #expect(optional == user)
        let json: JSONValue = try await manager.get("ada")
        #expect(json["name"]?.string == "Ada")
        let data: Data = try await manager.get("ada")
        #expect(data == Data(#"{"name":"Ada"}"#.utf8))
        #expect(try await manager.get("ada", as: User.self).name == "Ada")
        async let later: User = manager.get("ada")
        #expect(try await later == user)
    }

    @Test func thePlainOperationIsAlwaysReachable() async throws {
        let operation = manager.get("ada")
        #expect(type(of: operation) == HTTPRequestOperation.self)
        await operation.ends()
        manager.post("ada")
        let head = manager.head("ada")
        await head.ends()
        #expect(try await manager.get("ada").value(as: JSONValue.self)["name"]?.string == "Ada")
        let typed: HTTPRequestOperation = manager.delete("ada", parameters: ["a": 1])
        await typed.ends()
        let ready = manager.operation(
            "PUT", "ada", body: .json(1), responseSerializer: DecodableResponseSerializer(User.self))
        #expect(ready.isReady)
        manager.operationQueue.addOperation(ready)
        #expect(try await ready.value(as: User.self) == User(name: "Ada"))
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
        let response: HTTPURLResponse = try await manager.head("ada")
        #expect(response.statusCode == 200)
        #expect(try sent().method == "HEAD")
    }

    @Test func headersOfACallWinOverTheSerializers() async throws {
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

    @Test func anEmptyBodyKeepsItsOwnType() async throws {
        let _: Data = try await manager.post("ada", body: .data(Data(), contentType: "x/y"))
        #expect(try header("Content-Type") == "x/y")
    }

    @Test func refusedResponseIsThrownWithTheBody() async throws {
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

    @Test func structuredTypesAndTheManagersStatusesAreAccepted() async throws {
        network.answer("/problem", with: [.head(400, ["Content-Type": "application/problem+json"]), .body("[1]")])
        manager.responseSerializer = HTTPResponseSerializer(validation: .init(acceptableStatusCodes: [400]))
        let numbers: [Int] = try await manager.get("problem")
        #expect(numbers == [1])
    }

    @Test func theStatusesOfTheManagersSerializerCountForDataAsTheyAreThen() async throws {
        network.answer("/teapot", with: [.head(418), .body("short")])
        let refused = await #expect(throws: NetworkingError.self) { let _: Data = try await manager.get("teapot") }
        #expect(refused?.code == .unacceptableStatus)
        manager.responseSerializer = HTTPResponseSerializer(validation: .init(acceptableStatusCodes: [418]))
        let data: Data = try await manager.get("teapot")
        #expect(data == Data("short".utf8))
    }

    @Test func validationOfASerializerIsAskedOnceWhenTheSerializerIsSet() async throws {
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

    @Test func aRequestThatCannotBeMadeIsThrownAndNotSent() async throws {
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

/// Accepts other statuses each time it is asked.
private struct ChangingSerializer: ResponseSerializer {
    let codes: Observed<IndexSet>
    var validation: ResponseValidation { ResponseValidation(acceptableStatusCodes: codes.value) }

    func value(for response: ResponseHead, body: Data) -> Data { body }
}
