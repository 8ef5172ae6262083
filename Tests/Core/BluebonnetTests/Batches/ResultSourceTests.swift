// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Typed results that flow from operation to operation.
@Suite(.timeLimit(.minutes(1))) struct ResultSourceTests {
    private let network = ScriptedNetwork()
    private let manager: RequestOperationManager
    private let bytes = HTTPResponseSerializer()
    private let text = TextSerializer()

    init() {
        manager = network.manager()
        for name in ["a", "b", "c"] { network.answer("/\(name)", with: [.head(200), .body("<\(name)>")]) }
        network.answer("/bad", with: [.fail(.timedOut)])
        network.answer("/json", with: [.head(200, ["Content-Type": "application/json"]), .body("{\"token\": \"t\"}")])
    }

    /// Decodes the body as text.
    private struct TextSerializer: ResponseSerializer {
        let validation = ResponseValidation()
        func value(for response: ResponseHead, body: Data) -> String { String(decoding: body, as: UTF8.self) }
    }

    /// The header field "X" of each request for a path.
    private func sent(_ path: String) -> [String?] {
        network.log.requests.filter { $0.url.path == path }.map { $0.value(of: "X") }
    }

    @Test func resultIsPassedToRequest() async throws {
        let first = manager.get("a", returning: text)
        let second = manager.call("next").after(first) { request, value in
            request.setValue(value, forHTTPHeaderField: "X")
        }.start(returning: text)
        #expect(try await second.value == "fine")
        #expect(sent("/next") == ["<a>"])
    }

    @Test func severalResultTypesArePassedToRequest() async throws {
        let one = manager.get("a", returning: text)
        let two = manager.get("b", returning: bytes)
        let three = manager.call("GET", "json").start()
        let last = manager.call("POST", "next").after(one, two, three) { request, one, two, three in
            request.setValue("\(one) \(two.count) \(three["token"]?.string ?? "")", forHTTPHeaderField: "X")
        }.start(returning: text)
        #expect(try await last.value == "fine")
        #expect(sent("/next") == ["<a> 3 t"])
    }

    @Test func resultCollectionIsPassedToRequestInOrder() async throws {
        let all = ["c", "a", "b"].map { manager.get($0, returning: text) }
        let one = manager.get("json", returning: JSONResponseSerializer())
        let last = manager.call("next").after(all.all, one) { request, values, json in
            request.setValue(values.joined() + (json["token"]?.string ?? ""), forHTTPHeaderField: "X")
        }.start(returning: text)
        #expect(try await last.value == "fine")
        #expect(sent("/next") == ["<c><a><b>t"])
    }

    @Test func mapOnHandleArrayIsTheArrayMap() async throws {
        let handles = ["a", "b"].map { manager.get($0, returning: text) }
        let operations = handles.map { $0.operation }
        #expect(
            operations.map(ObjectIdentifier.init) == handles.all.dependencies.map { ObjectIdentifier($0.operation) })
        var values: [String] = []
        for handle in handles { values.append(try await handle.value) }
        #expect(try handles.all.map { $0.joined() }.finalValue() == values.joined())
    }

    @Test func handleArrayWithFallbackRunsAfterFailure() async throws {
        network.answer("/bad", with: [.head(500), .body("no")])
        let handles = ["a", "bad"].map { manager.get($0, returning: text) }
        let next = manager.call("next").after(handles.all.orElse(["none"])) { request, values in
            request.setValue(values.joined(), forHTTPHeaderField: "X")
        }.start(returning: text)
        #expect(try await next.value == "fine")
        #expect(sent("/next") == ["none"])
    }

    @Test func wholeRequestCanBeMadeFromResults() async throws {
        let first = manager.get("a", returning: text)
        let second = manager.call("any").after(first) { [network] request, value in
            request.urlRequest = network.request("/made", method: "PUT", body: value)
        }.start(returning: text)
        #expect(try await second.value == "fine")
        #expect(network.log.requests.last?.method == "PUT")
    }

    @Test func requestIsMadeOnceAfterResultOffTheNetworkThread() async throws {
        let seen = Observed([String]())
        let first = manager.get("a", returning: text)
        let second = manager.call("next").after(first) { [network] _, _ in
            seen.append("\(NetworkThread.isCurrent) \(first.operation.isFinished) \(network.log.requests.count)")
        }.start(returning: text)
        _ = try await second.value
        #expect(seen.value == ["false true 1"])
    }

    @Test func requestClosureErrorFailsTheOperation() async {
        struct Refusal: Error {}
        let first = manager.get("a", returning: text)
        let second = manager.call("next").after(first) { _, _ in throw Refusal() }.start(returning: text)
        await #expect { try await second.value } throws: { error in
            let error = error as? NetworkingError
            return error?.code == .invalidRequest && error?.underlying is Refusal
        }
        #expect(network.log.entries.value.paths == ["/a"])
    }

    @Test func callbacksReceiveTheSameResults() async {
        let results = Observed([String]())
        let first = manager.get("a", returning: text)
        manager.call("next").after(first) { _, _ in }.start(returning: text).whenFinished { result in
            results.append((try? result.get()) ?? "none")
        }
        first.whenFinished { result in results.append((try? result.get()) ?? "none") }
        await results.becomes { $0.count == 2 }
        #expect(Set(results.value) == ["<a>", "fine"])
    }

    @Test func failureSkipsAllTransitiveDependents() async {
        let bad = manager.get("bad", returning: text)
        let next = manager.call("next").after(bad) { _, _ in }.start(returning: text)
        let last = manager.call("last").after(next) { _, _ in }.start(returning: text)
        await #expect { try await last.value } throws: { ($0 as? NetworkingError)?.code == .dependencyFailed }
        #expect(next.result.map { (try? $0.get()) == nil } == true)
        #expect(network.log.entries.value.paths == ["/bad"])
        #expect((last.operation.error?.underlying as? NetworkingError)?.code == .timedOut)
    }

    @Test func fallbackReplacesMissingResult() async throws {
        let bad = manager.get("bad", returning: text)
        let next = manager.call("next").after(bad.orElse("guest")) { request, value in
            request.setValue(value, forHTTPHeaderField: "X")
        }.start(returning: text)
        _ = try await next.value
        #expect(sent("/next") == ["guest"])
    }

    @Test func requestWithResultsRunsAfterFailures() async throws {
        let bad = manager.get("bad", returning: text)
        let good = manager.get("a", returning: text)
        let next = manager.call("next").after(bad.asResult, good.asResult) { request, bad, good in
            let code = { () -> String? in
                guard case .failure(let error as NetworkingError) = bad else { return nil }
                return (error.underlying as? NetworkingError)?.code.rawValue
            }()
            request.setValue("\(code ?? "") \((try? good.get()) ?? "")", forHTTPHeaderField: "X")
        }.start(returning: text)
        _ = try await next.value
        #expect(sent("/next") == ["timedOut <a>"])
    }

    @Test func sourceCanBeMapped() async throws {
        let token = manager.get("json", returning: JSONResponseSerializer()).map { $0["token"]?.string ?? "" }
        let next = manager.call("next").after(token) { request, token in
            request.setValue(token, forHTTPHeaderField: "X")
        }.start(returning: text)
        _ = try await next.value
        #expect(sent("/next") == ["t"])
    }

    @Test func resultOfWrongTypeThrows() async {
        let wrong = manager.get("a", returning: text).operation.handle(returning: Int.self)
        await #expect { try await wrong.value } throws: { ($0 as? NetworkingError)?.code == .cannotParseResponse }
        #expect(wrong.result.map { (try? $0.get()) == nil } == true)
    }

    @Test func cancellingTheRunningTaskCancelsTheOperation() async {
        network.answer("/held", with: [.wait(Gate())])
        let call = manager.get("held", returning: text)
        let task = Task { try await manager.run(call) }
        await network.log.sees(.begun(1))
        task.cancel()
        await #expect { try await task.value } throws: { ($0 as? NetworkingError)?.code == .cancelled }
        #expect(call.operation.isCancelled)
    }

    @Test func resultChainRunsInOrderAndIsReleased() async throws {
        weak var weakFirst: HTTPRequestOperation?
        do {
            var last = manager.get("a", returning: text)
            weakFirst = last.operation
            for number in 0..<500 {
                last = manager.call("n\(number)").after(last) { request, value in
                    request.setValue(value, forHTTPHeaderField: "X")
                }.start(returning: text)
            }
            #expect(try await last.value == "fine")
        }
        await NetworkThread.shared.catchesUp()
        await Queues.processingCatchesUp()
        #expect(network.log.entries.value.paths == ["/a"] + (0..<500).map { "/n\($0)" })
        await becomes(true) { weakFirst == nil }
    }
}
