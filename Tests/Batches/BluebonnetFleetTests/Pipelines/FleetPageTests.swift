// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Lines with `paginate`, whose pages any worker requests.
    @Suite struct FleetPageTests {
        private typealias Fixture = FleetFixture

        private static let things = #"{"id":"things","url":"things","paginate":{"next":"link"}}"#

        @Test func workersRequestEachPageOnce() async throws {
            try await Fixture.with {
                PipelineFixture.answer($0, pages: 12, items: 3)
            } _: { fixture in
                try await fixture.submit([Self.things, #"{"url":"count/${things.items}/${things.pages}"}"#])
                try await fixture.run(fixture.worker("one"), fixture.worker("two"), fixture.worker("three"))
                #expect(fixture.requests(to: "/things").count == 12)
                #expect(fixture.requests(to: "/count/36/12").count == 1)
                let results = try await fixture.results()
                #expect(results.count == 14 && results.values.allSatisfy { $0.outcome == .success })
                for page in 1...12 {
                    #expect(results["things/\(page)"]?.page == page && results["things/\(page)"]?.items == 3)
                }
                let line = try #require(results["things"])
                #expect(line.pages == 12 && line.items == 36 && line.status == nil)
                #expect(try await fixture.order().dropLast().last == "things")
                let batch = try await fixture.batch()
                #expect(batch.isSuccess && batch.lineCount == 14)
                try await fixture.store.expectOrder()
            }
        }

        @Test func laterWorkerContinuesAfterAnEarlierOne() async throws {
            let (isThere, mayAnswer) = (Gate(), Gate())
            try await Fixture.with { request in
                guard request.query == "page=3" else { return PipelineFixture.answer(request, pages: 5, items: 1) }
                isThere.open()
                let steps = PipelineFixture.answer(request, pages: 5, items: 1).steps
                return Reply([.wait(until: mayAnswer)] + steps)
            } _: { fixture in
                try await fixture.submit([Self.things])
                let first = fixture.worker("first")
                async let work: Void = first.run()
                await isThere.wait()
                first.drain()
                mayAnswer.open()
                try await work
                #expect(fixture.requests(to: "/things").count == 3)
                try await fixture.run(fixture.worker("second"))
                #expect(fixture.requests(to: "/things").count == 5)
                #expect(try await fixture.results()["things"]?.pages == 5)
            }
        }

        @Test func failedPageFailsTheLineAndIsRetried() async throws {
            let isMended = Observed(false)
            try await Fixture.with { request in
                if request.query == "page=3", !isMended.value { return .response(status: 500, body: "") }
                return PipelineFixture.answer(request, pages: 5, items: 2)
            } _: { fixture in
                let each = #"{"id":"e","url":"e/${t.id}","each":{"of":"things","as":"t","key":"$.id"}}"#
                try await fixture.submit([Self.things, each, #"{"id":"end","url":"end","after":["e"]}"#])
                try await fixture.run(fixture.worker())
                var results = try await fixture.results()
                #expect(results["things/3"]?.outcome == .failure && results["things/4"] == nil)
                let message = try #require(results["things"]?.error?.message)
                #expect(message.hasPrefix("page 3: ") && results["things"]?.pages == 2)
                #expect(results["e"]?.outcome == .skipped && results["e"]?.succeeded == 4)
                #expect(results["end"]?.outcome == .skipped)
                try await fixture.store.expectOrder()
                isMended.update { $0 = true }
                #expect(try await fixture.store.fleet.retryFailed("n") == 4)
                try await fixture.store.expectOrder()
                try await fixture.run(fixture.worker())
                results = try await fixture.results()
                #expect(results.values.allSatisfy { $0.outcome == .success })
                #expect(results["things"]?.pages == 5 && results["e"]?.succeeded == 10)
                #expect(fixture.requests(to: "/e/100").count == 1 && fixture.requests(to: "/end").count == 1)
                try await fixture.store.expectOrder()
            }
        }

        @Test(arguments: [
            (#"{"next":{"header":"x-next"}}"#, "paginationLoop", 2),
            (#"{"next":{"cursor":"$.n","into":"query.c"},"items":"$.i[*]"}"#, "paginationLoop", 2),
            (#"{"next":{"page":"query.p"},"items":"$.i[*]","max":3}"#, "tooManyPages", 3),
        ])
        func pagesWithoutEndFail(rule: String, code: String, count: Int) async throws {
            try await Fixture.with { request in
                .response(headers: ["X-Next": "/loop?a=1"], body: #"{"n":7,"i":[1]}"#)
            } _: { fixture in
                try await fixture.submit([#"{"id":"l","url":"loop","paginate":\#(rule)}"#])
                try await fixture.run(fixture.worker("one"), fixture.worker("two"))
                let results = try await fixture.results()
                #expect(results["l"]?.outcome == .failure && results["l"]?.error?.code.rawValue == code)
                #expect(results["l"]?.pages == count && fixture.requests(to: "/loop").count == count)
                try await fixture.store.expectOrder()
            }
        }

        @Test func pageOfAnotherOriginGetsNoCredentials() async throws {
            try await TestServer.serving { _ in
                .response(body: "[2]")
            } _: { other in
                let next = other.url("/next").absoluteString
                try await Fixture.with { _ in
                    .response(headers: ["Link": "<\(next)>; rel=next"], body: "[1]")
                } _: { fixture in
                    try await fixture.submit(
                        [#"{"id":"t","url":"t","headers":{"Authorization":"Bearer s"},"paginate":{"next":"link"}}"#])
                    try await fixture.run(fixture.worker("one"), fixture.worker("two"))
                    #expect(fixture.requests(to: "/t").first?.headers["Authorization"] == "Bearer s")
                    #expect(other.requests.count == 1 && other.requests.first?.headers["Authorization"] == nil)
                    #expect(try await fixture.results()["t"]?.items == 2)
                }
            }
        }

        @Test func lineRefersToAPage() async throws {
            try await Fixture.with {
                PipelineFixture.answer($0, pages: 3, items: 1)
            } _: { fixture in
                try await fixture.submit([Self.things, #"{"url":"x/${things/2.body.0.id}"}"#]) { $0.bodyForm = .none }
                try await fixture.run(fixture.worker())
                #expect(fixture.requests(to: "/x/200").count == 1)
            }
        }

        @Test func cancelledBatchEndsItsPages() async throws {
            let (isThere, mayAnswer) = (Gate(), Gate())
            try await Fixture.with { request in
                guard request.query == "page=2" else { return PipelineFixture.answer(request, pages: 3, items: 1) }
                isThere.open()
                return Reply([.wait(until: mayAnswer)] + PipelineFixture.answer(request, pages: 3, items: 1).steps)
            } _: { fixture in
                try await fixture.submit([Self.things])
                async let work: Void = fixture.run(fixture.worker())
                await isThere.wait()
                try await fixture.store.fleet.cancel("n")
                try await work
                let results = try await fixture.results()
                #expect(results["things"]?.outcome == .cancelled && results["things/2"]?.outcome == .cancelled)
                try await fixture.store.expectOrder()
                mayAnswer.open()
                #expect(try await fixture.store.fleet.retryFailed("n") == 2)
                try await fixture.run(fixture.worker())
                #expect(try await fixture.results()["things"]?.pages == 3)
                try await fixture.store.expectOrder()
            }
        }
    }
}
