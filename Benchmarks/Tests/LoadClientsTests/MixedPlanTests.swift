// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CurlDriver
import Foundation
import LoadClients
import Testing

@Suite struct MixedPlanTests {
    private let plan = MixedPlan(origins: (0..<20).map { "http://127.0.0.1:\(8000 + $0)" })

    @Test func requestsReachOriginsAndPathsAboutEquallyOften() throws {
        var (origins, paths, queries): ([String: Int], [String: Int], Set<String>) = ([:], [:], [])
        for number in 0..<20_000 {
            let url = try #require(URL(string: plan.request(number).url))
            origins["\(url.scheme ?? "")://\(url.host ?? ""):\(url.port ?? 0)", default: 0] += 1
            paths[url.path, default: 0] += 1
            queries.insert(try #require(url.query))
        }
        #expect(Set(origins.keys) == Set(plan.origins))
        #expect(origins.values.allSatisfy { 850...1150 ~= $0 })
        #expect(paths.count == MixedPlan.pathCount)
        #expect(paths.values.allSatisfy { 1...60 ~= $0 })
        #expect(queries.count == MixedPlan.pathCount)
    }

    @Test func consecutiveRequestsRarelyShareAnOriginOrPath() throws {
        let urls = try (0..<10_000).map { try #require(URL(string: plan.request($0).url)) }
        let pairs = zip(urls, urls.dropFirst())
        #expect(pairs.count { $0.port == $1.port } < 700)
        #expect(pairs.count { $0.path == $1.path } < 40)
    }

    @Test func fieldsAndBodiesAreNeverRepeated() {
        let requests = (0..<20_000).map(plan.request)
        #expect(Set(requests.map(\.traceParent)).count == requests.count)
        #expect(Set(requests.map(\.idempotencyKey)).count == requests.count)
        #expect(Set(requests.map(\.authorization)).count == requests.count)
        let bodies = requests.compactMap(\.body)
        #expect(Set(bodies).count == bodies.count)
    }

    @Test func everyTenthRequestIsAPOSTOfJSON() throws {
        for number in 0..<1000 {
            let body = plan.request(number).body
            #expect((body != nil) == (number % 10 == 9))
            guard let body else { continue }
            #expect(try JSONSerialization.jsonObject(with: Data(body.utf8)) is [String: Any])
        }
    }

    @Test func decodingsTakeTurnsForGETsAndPOSTs() {
        for number in 0..<300 {
            #expect(plan.request(number).decoding == plan.decoding(number))
            #expect(plan.decoding(number) == [.json, .data, .decodable][number % 3])
        }
        let posts = (0..<300).map(plan.request).filter { $0.body != nil }
        for decoding in [MixedRequest.Decoding.json, .data, .decodable] {
            #expect(posts.count { $0.decoding == decoding } == 10)
        }
    }

    @Test func laterFirstNumberContinuesTheSamePlan() {
        var later = plan
        later.firstNumber = 12_345
        #expect(later.request(7).text == plan.request(12_352).text)
        #expect(later.decoding(7) == plan.decoding(12_352))
    }

    @Test(arguments: [1, 2, 3, 20])
    func requestsOfSwiftAndOfCAreEqual(originCount: Int) {
        let plan = MixedPlan(origins: Array(plan.origins.prefix(originCount)))
        CStrings(plan.origins).withPointers { origins in
            for number in Array(0..<20_000) + [1_000_009, 123_456_789_019] {
                var request = mixed_request()
                let status = mixed_request_make(&request, origins, originCount, UInt64(number))
                guard status == 0, request.text == plan.request(number).text else {
                    Issue.record("request \(number): \(request.text) is not \(plan.request(number).text)")
                    return
                }
            }
        }
    }

    @Test func tooLongOriginIsRefusedInC() {
        let origin = "http://" + String(repeating: "a", count: 250)
        CStrings([origin]).withPointers { origins in
            var request = mixed_request()
            #expect(mixed_request_make(&request, origins, 1, 0) == -1)
        }
    }
}

extension mixed_request {
    /// The same text as `MixedRequest.text`.
    fileprivate var text: String {
        let lines = [Self.string(url), Self.string(trace_parent), Self.string(idempotency_key)]
        return (lines + [Self.string(authorization), body_length < 0 ? "" : Self.string(body)])
            .joined(separator: "\n")
    }

    private static func string<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
