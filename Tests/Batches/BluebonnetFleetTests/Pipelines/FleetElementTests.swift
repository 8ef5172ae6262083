// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Lines with `each`, whose elements any worker sends.
    @Suite struct FleetElementTests {
        private typealias Fixture = FleetFixture

        private static let things = #"{"id":"things","url":"things","paginate":{"next":"link"}}"#
        private static let make =
            #"{"id":"make","method":"POST","url":"make/${t.id}","each":{"of":"things","as":"t","key":"$.id"}}"#

        @Test func elementsOfPagesAreSentOnceByAnyWorker() async throws {
            try await Fixture.with {
                PipelineFixture.answer($0, pages: 8, items: 25)
            } _: { fixture in
                try await fixture.submit([Self.things, Self.make, #"{"id":"end","url":"end","after":["make"]}"#])
                try await fixture.run(fixture.worker("one"), fixture.worker("two"), fixture.worker("three"))
                let ids = PipelineFixture.ids(pages: 8, items: 25)
                let once = Dictionary(uniqueKeysWithValues: ids.map { ("/make/\($0)", 1) })
                #expect(fixture.counts("POST") == once)
                let results = try await fixture.results()
                #expect(results.count == 211 && results.values.allSatisfy { $0.outcome == .success })
                #expect(results["make"]?.count == 200 && results["make"]?.succeeded == 200)
                #expect(results["make"]?.failed == 0 && results["make"]?.duplicates == 0)
                let order = try await fixture.order()
                let last = try #require(order.firstIndex(of: "make"))
                #expect(order[..<last].filter { $0.hasPrefix("make/") }.count == 200)
                #expect(try await fixture.batch().isSuccess)
                #expect(try await fixture.members().isEmpty)
                try await fixture.store.expectOrder()
            }
        }

        @Test func duplicatesFailuresAndElementsWithoutKeyAreCounted() async throws {
            try await Fixture.with { request in
                switch request.path {
                case "/list": .response(body: #"[{"id":"a"},{"id":"b"},{"id":"a"},{"x":1},{"id":"c"},{"id":"b"}]"#)
                case "/make/b": .response(status: 500, body: "")
                default: .response(body: "{}")
                }
            } _: { fixture in
                try await fixture.submit([#"{"id":"things","url":"list"}"#, Self.make])
                try await fixture.run(fixture.worker("one"), fixture.worker("two"))
                let results = try await fixture.results()
                let line = try #require(results["make"])
                #expect(line.outcome == .failure && line.count == 4 && line.duplicates == 2)
                #expect(line.succeeded == 2 && line.failed == 2 && line.skipped == 0)
                #expect(line.error?.message.hasPrefix("2 of 4 elements failed, at first make/") == true)
                #expect(results["make/#4"]?.error?.code == .unresolvedReference)
                #expect(
                    results["make/#4"]?.error?.message
                        == "element 4 of \"things\" has no $.id, no text and no number")
                #expect(fixture.counts("POST") == ["/make/a": 1, "/make/b": 1, "/make/c": 1])
                try await fixture.store.expectOrder()
            }
        }

        @Test func elementsOfALargePageAreStoredInSlices() async throws {
            let count = ProcessInfo.processInfo.environment["FLEET_ELEMENTS"].flatMap { Int($0) } ?? 2_500
            let body = "[" + (0..<count).map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]"
            let (start, first) = (Observed<ContinuousClock.Instant?>(nil), Observed<Duration?>(nil))
            try await Fixture.with { request in
                if request.path == "/list" {
                    start.update { $0 = .now }
                    return .response(body: body)
                }
                first.update { $0 = $0 ?? start.value.map { .now - $0 } }
                return .response(body: "")
            } _: { fixture in
                try await fixture.submit([#"{"id":"things","url":"list"}"#, Self.make])
                let begin = ContinuousClock.now
                try await fixture.run(fixture.worker("one"), fixture.worker("two"))
                print("\(count) elements: first \(String(describing: first.value)), all \(ContinuousClock.now - begin)")
                let batch = try await fixture.batch()
                #expect(batch.isSuccess && batch.lineCount == count + 2)
                #expect(fixture.counts("POST").values.allSatisfy { $0 == 1 } && fixture.counts("POST").count == count)
            }
        }

        @Test func tooManyElementsFailTheLine() async throws {
            try await Fixture.with {
                PipelineFixture.answer($0, pages: 3, items: 2)
            } _: { fixture in
                let each = #"{"id":"e","url":"e/${t.id}","each":{"of":"things","as":"t","max":3}}"#
                try await fixture.submit([Self.things, each])
                try await fixture.run(fixture.worker("one"), fixture.worker("two"))
                let results = try await fixture.results()
                #expect(results["e"]?.error?.code == .tooManyElements && results["e"]?.succeeded == 3)
                #expect(results["e/3"]?.outcome == .success && results["e/4"] == nil)
                #expect(results["things"]?.outcome == .success)
                try await fixture.store.expectOrder()
            }
        }

        @Test func unreadableElementsFailTheLine() async throws {
            try await Fixture.with { _ in
                .response(body: "[1,")
            } _: { fixture in
                try await fixture.submit([#"{"id":"things","url":"list"}"#, Self.make])
                try await fixture.run(fixture.worker())
                let results = try await fixture.results()
                #expect(results["make"]?.error?.code == .cannotParseResponse && results["make"]?.count == 0)
            }
        }

        @Test func elementsOfElementsArePaged() async throws {
            try await Fixture.with { request in
                switch request.path {
                case "/groups": return .response(body: #"[{"id":1},{"id":2},{"id":3}]"#)
                case "/things" where request.query?.hasPrefix("page") != true:
                    let group = request.query?.split(separator: "=").last ?? ""
                    return .response(
                        headers: ["Link": "</things?page=2&g=\(group)>; rel=next"], body: #"[{"id":"\#(group)a"}]"#)
                case "/things":
                    let group = request.query?.split(separator: "=").last ?? ""
                    return .response(body: #"[{"id":"\#(group)b"},{"id":"\#(group)c"}]"#)
                default: return .response(body: "[]")
                }
            } _: { fixture in
                let things =
                    #"{"id":"things","url":"things?g=${g.id}","paginate":{"next":"link"},"#
                    + #""each":{"of":"groups","as":"g","key":"$.id"}}"#
                try await fixture.submit([#"{"id":"groups","url":"groups"}"#, things, Self.make])
                try await fixture.run(fixture.worker("one"), fixture.worker("two"), fixture.worker("three"))
                let results = try await fixture.results()
                #expect(results["things/2/1"]?.page == 1 && results["things/2/2"]?.items == 2)
                #expect(results["things/2"]?.pages == 2 && results["things/2"]?.items == 3)
                #expect(results["things"]?.count == 3 && results["make"]?.count == 9)
                let posts = fixture.counts("POST")
                #expect(posts.count == 9 && posts["/make/3c"] == 1 && posts.values.allSatisfy { $0 == 1 })
                #expect(results.count == 21)
                #expect(results.values.allSatisfy { $0.outcome == .success })
                try await fixture.store.expectOrder()
            }
        }

        @Test func lineThatNeedsAnotherOneUsesKeptPages() async throws {
            try await Fixture.with {
                $0.path == "/token"
                    ? Reply([.delay(.milliseconds(300))] + Reply.response(body: "t0").steps)
                    : PipelineFixture.answer($0, pages: 3, items: 2)
            } _: { fixture in
                let each =
                    #"{"id":"e","url":"e/${t.id}?t=${token.body}","each":{"of":"things","as":"t","key":"$.id"}}"#
                try await fixture.submit([Self.things, #"{"id":"token","url":"token"}"#, each]) { $0.bodyForm = .none }
                try await fixture.run(fixture.worker("one"), fixture.worker("two"))
                let results = try await fixture.results()
                #expect(results["e"]?.succeeded == 6)
                #expect(fixture.requests(to: "/e/301").map(\.query) == ["t=t0"])
                try await fixture.store.expectOrder()
            }
        }

        @Test func elementsOfAFileAreStoredWithTheBatch() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let file = try folder.write("rows.csv", "sku,price\nA,1\nB,2\nA,3\n,4\nC,5\n")
            try await Fixture.with { fixture in
                let line =
                    #"{"id":"i","method":"PUT","url":"i/${r.sku}","json":{"price":"${r.price}"},"#
                    + #""each":{"file":"\#(file)","as":"r","key":"sku"}}"#
                try await fixture.submit([#"{"id":"first","url":"first"}"#, line])
                #expect(try await fixture.store.fleet.submit([], named: "empty"))
                try FileManager.default.removeItem(atPath: file)
                try await fixture.run(fixture.worker("one"), fixture.worker("two"))
                let results = try await fixture.results()
                #expect(results["i"]?.count == 4 && results["i"]?.duplicates == 1 && results["i"]?.failed == 1)
                #expect(fixture.counts("PUT") == ["/i/A": 1, "/i/B": 1, "/i/C": 1])
                let body = fixture.requests(to: "/i/B").first.map { String(decoding: $0.body, as: UTF8.self) }
                #expect(body == #"{"price":"2"}"#)
                #expect(results["i/#4"]?.outcome == .failure)
                try await fixture.store.expectOrder()
            }
        }

        @Test func changedFileIsAnotherBatch() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let file = try folder.write("rows.ndjson", "1\n2\n")
            let lines = try PipelineFixture.lines([#"{"url":"http://h/${r}","each":{"file":"\#(file)","as":"r"}}"#])
            let fleet = try await StoreFixture().fleet
            #expect(try await fleet.submit(lines, named: "n"))
            #expect(try await fleet.submit(lines, named: "n") == false)
            _ = try folder.write("rows.ndjson", "1\n3\n")
            let error = await #expect(throws: FleetError.self) { try await fleet.submit(lines, named: "n") }
            #expect(error?.code == .nameTaken)
        }

        @Test func elementKeysAreStableAndDistinct() async throws {
            try await Fixture.with {
                PipelineFixture.answer($0, pages: 1, items: 3)
            } _: { fixture in
                let make =
                    #"{"id":"m","method":"POST","url":"m/${t.id}","idempotencyKey":true,"#
                    + #""each":{"of":"things","as":"t","key":"$.id"}}"#
                try await fixture.submit([Self.things, make])
                try await fixture.run(fixture.worker())
                let keys = fixture.server.requests.filter { $0.method == "POST" }.compactMap {
                    $0.headers["Idempotency-Key"]
                }
                #expect(keys.count == 3 && Set(keys).count == 3)
                #expect(
                    try await fixture.store.number("SELECT count(*) FROM bluebonnet.lines WHERE kind = 2") == 3)
            }
        }

        @Test func cancelledElementsRunAgain() async throws {
            let (isThere, mayAnswer) = (Gate(), Gate())
            try await Fixture.with { request in
                guard request.path == "/e/101" else { return PipelineFixture.answer(request, pages: 2, items: 3) }
                isThere.open()
                return Reply([.wait(until: mayAnswer)] + Reply.response(body: "").steps)
            } _: { fixture in
                let each = #"{"id":"e","url":"e/${t.id}","each":{"of":"things","as":"t","key":"$.id"}}"#
                try await fixture.submit([Self.things, each])
                async let work: Void = fixture.run(fixture.worker("one", concurrency: 1))
                await isThere.wait()
                try await fixture.store.fleet.cancel("n")
                try await work
                try await fixture.store.expectOrder()
                #expect(try await fixture.results()["e"]?.outcome == .cancelled)
                mayAnswer.open()
                _ = try await fixture.store.fleet.retryFailed("n")
                try await fixture.store.expectOrder()
                try await fixture.run(fixture.worker("two"), fixture.worker("three"))
                let results = try await fixture.results()
                #expect(results["e"]?.succeeded == 6 && results["things"]?.pages == 2)
                #expect(results.values.allSatisfy { $0.outcome == .success })
                try await fixture.store.expectOrder()
            }
        }

        @Test(arguments: [("remember", #"{"a":{"max":"$.x"}}"#), ("stream", #""lines""#)])
        func fieldOfOneMachineIsRefused(field: String, value: String) async throws {
            let fleet = try await StoreFixture().fleet
            let lines = try PipelineFixture.lines([#"{"url":"http://h/","\#(field)":\#(value)}"#])
            let error = await #expect(throws: FleetError.self) { try await fleet.submit(lines, named: "n") }
            #expect(
                error?.message
                    == "line 1 has \"\(field)\", which a fleet does not run: use bluebonnet run --journal")
        }
    }
}
