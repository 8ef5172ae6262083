// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetLocks
import BluebonnetPipelines
import BluebonnetTestServer
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct PagesTests {
    private struct User: Codable, Sendable, Equatable {
        let id: Int
    }

    private static func json(_ others: WireFields = [:]) -> WireFields {
        var fields: WireFields = ["Content-Type": "application/json"]
        fields.fields += others.fields
        return fields
    }

    private static func users(_ numbers: Range<Int>) -> String {
        "[" + numbers.map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"
    }

    /// A query parameter of a request.
    private static func parameter(_ name: String, of request: ReceivedRequest) -> String? {
        URLComponents(string: "?" + (request.query ?? ""))?.queryItems?.first { $0.name == name }?.value
    }

    /// Ten users in pages of three, by each kind of pagination.
    private static let script: TestServer.Script = { request in
        let page = Int(parameter("page", of: request) ?? "") ?? 1
        let first = (page - 1) * 3
        switch request.path {
        case "/link":
            let link: WireFields = page < 4 ? ["Link": "</link?page=\(page + 1)>; rel=next"] : [:]
            return .response(headers: json(link), body: users(first..<min(10, first + 3)))
        case "/body":
            let next = page < 4 ? "\"/body?page=\(page + 1)\"" : "null"
            let body = "{\"next\":\(next),\"data\":\(users(first..<min(10, first + 3)))}"
            return .response(headers: json(), body: body)
        case "/cursor":
            let sent = try? JSONDecoder().decode([String: String].self, from: Data(request.body))
            let start = Int(sent?["after"] ?? "") ?? 0
            let next = start + 3 < 10 ? "\"\(start + 3)\"" : "null"
            return .response(
                headers: json(), body: "{\"cursor\":\(next),\"data\":\(users(start..<min(10, start + 3)))}")
        case "/offset":
            let start = Int(parameter("skip", of: request) ?? "") ?? 0
            return .response(headers: json(), body: users(min(10, start)..<min(10, start + 3)))
        case "/broken" where page == 2: return .response(status: 500, headers: json(), body: "{}")
        case "/broken":
            return .response(headers: json(["Link": "</broken?page=2>; rel=next"]), body: users(0..<3))
        case "/endless":
            return .response(headers: json(["Link": "</endless?page=\(page + 1)>; rel=next"]), body: users(0..<1))
        case "/odd": return .response(headers: json(), body: "[{\"id\":1},{\"id\":\"two\"},{\"id\":3}]")
        default: return .response(status: 404, body: "")
        }
    }

    private static func pagination(_ kind: String) throws -> Pagination {
        let data = try JSONPath("$.data[*]")
        switch kind {
        case "link": return Pagination(next: .link)
        case "body": return Pagination(next: .body(try JSONPath("$.next")), items: data)
        case "cursor":
            return Pagination(next: .cursor(.body(try JSONPath("$.cursor")), into: .json("after")), items: data)
        default: return Pagination(next: .offset(.query("skip"), limit: 3), until: .short)
        }
    }

    @Test(arguments: ["link", "body", "cursor", "offset"]) func itemsOfAllPagesArriveInOrder(kind: String) async throws
    {
        let server = try await TestServer.start(Self.script)
        let manager = RequestOperationManager(baseURL: server.url("/"))
        let call = kind == "cursor" ? manager.call("POST", kind).body(.json(["size": "3"])) : manager.call(kind)
        var found: [Int] = []
        for try await user in call.items(try Self.pagination(kind), as: User.self) { found.append(user.id) }
        #expect(found == Array(0..<10))
        #expect(server.history.requests.count == 4)
        if kind == "cursor" {
            let last = try JSONDecoder().decode(
                [String: String].self, from: Data(try #require(server.history.requests.last).body))
            #expect(last == ["size": "3", "after": "9"])
        }
        await server.stop()
    }

    @Test func pagesHaveNumbersAndResponses() async throws {
        let server = try await TestServer.start(Self.script)
        let manager = RequestOperationManager(baseURL: server.url("/"))
        var seen: [String] = []
        for try await page in manager.pages("link", next: .link, as: [User].self) {
            seen.append("\(page.number) \(page.response.statusCode) \(page.value.count)")
        }
        #expect(seen == ["1 200 3", "2 200 3", "3 200 3", "4 200 1"])
        await server.stop()
    }

    @Test func nextPageIsNotRequestedBeforeItIsAskedFor() async throws {
        let server = try await TestServer.start(Self.script)
        let manager = RequestOperationManager(baseURL: server.url("/"))
        var iterator = manager.items("link", next: .link, as: User.self).makeAsyncIterator()
        for expected in 0..<3 { #expect(try await iterator.next()?.id == expected) }
        #expect(server.history.requests.count == 1)
        #expect(try await iterator.next()?.id == 3)
        #expect(server.history.requests.count == 2)
        await server.stop()
    }

    @Test func failedPageEndsTheIteration() async throws {
        let server = try await TestServer.start(Self.script)
        let manager = RequestOperationManager(baseURL: server.url("/"))
        var iterator = manager.pages("broken", next: .link, as: [User].self).makeAsyncIterator()
        #expect(try await iterator.next()?.number == 1)
        let error = await #expect(throws: NetworkingError.self) { try await iterator.next() }
        #expect(error?.code == .unacceptableStatus && error?.response?.statusCode == 500)
        #expect(try await iterator.next() == nil)
        await server.stop()
    }

    @Test func limitIsAnErrorAfterTheLastPermittedPage() async throws {
        let server = try await TestServer.start(Self.script)
        let manager = RequestOperationManager(baseURL: server.url("/"))
        var count = 0
        let error = await #expect(throws: NetworkingError.self) {
            for try await _ in manager.pages("endless", next: .link, max: 5, as: JSONValue.self) { count += 1 }
        }
        #expect(count == 5 && server.history.requests.count == 5)
        #expect(error?.code == .tooManyPages)
        #expect(error?.message == "5 pages are not the last: raise the maximum if that is right")
        #expect(error?.request?.url?.path == "/endless")
        await server.stop()
    }

    @Test func itemThatCannotBeDecodedIsNamed() async throws {
        let server = try await TestServer.start(Self.script)
        let manager = RequestOperationManager(baseURL: server.url("/"))
        var iterator = manager.items("odd", next: .link, as: User.self).makeAsyncIterator()
        #expect(try await iterator.next() == User(id: 1))
        let error = await #expect(throws: NetworkingError.self) { try await iterator.next() }
        #expect(error?.code == .cannotParseResponse)
        #expect(error?.message.hasPrefix("item 2 of page 1 (\(server.url("/odd"))) cannot be decoded") == true)
        #expect(try await iterator.next() == nil)
        await server.stop()
    }

    @Test func otherOriginGetsNoCredentials() async throws {
        let other = try await TestServer.start { _ in .response(headers: Self.json(), body: "[]") }
        let next = "<\(other.url("/more"))>; rel=next"
        let server = try await TestServer.start { _ in .response(headers: Self.json(["Link": next]), body: "[]") }
        let manager = RequestOperationManager(baseURL: server.url("/"))
        let call = manager.call("users").header("Authorization", "Bearer s").header("X-Trace", "7")
            .configure { $0.options.credential = URLCredential(user: "u", password: "p", persistence: .none) }
        var count = 0
        for try await _ in call.pages(Pagination(next: .link), as: JSONValue.self) { count += 1 }
        #expect(count == 2)
        let (first, second) = (try #require(server.history.requests.first), try #require(other.history.requests.first))
        #expect(first.headers["Authorization"] == "Bearer s")
        #expect(second.headers["Authorization"] == nil && second.headers["X-Trace"] == nil)
        await server.stop()
        await other.stop()
    }

    @Test func cancelledTaskCancelsTheRequest() async throws {
        let server = try await TestServer.start { _ in .steps([.stall]) }
        let manager = RequestOperationManager(baseURL: server.url("/"))
        let task = Task {
            for try await _ in manager.pages("users", next: .link, as: JSONValue.self) {}
        }
        await server.wait { $0.requests.count == 1 }
        task.cancel()
        let error = await #expect(throws: NetworkingError.self) { try await task.value }
        #expect(error?.code == .cancelled && error?.underlying is CancellationError)
        await server.stop()
    }
}
