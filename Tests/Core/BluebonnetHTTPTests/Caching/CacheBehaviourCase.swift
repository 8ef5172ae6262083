// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

/// A behaviour that http-tests/cache-tests examines, by its identifier there: requests in a row, what the origin
/// answers, and where the responses have to come from.
struct CacheBehaviourCase: Sendable, CustomTestStringConvertible {
    enum Kind: Sendable { case required, optimal, check }

    enum Source: Sendable { case cached, notCached, tagValidated, dateValidated, any }

    /// One request. In header fields, "@-3000" is the date 3000 seconds before.
    struct Step: Sendable {
        var method = "GET"
        var path = "x"
        var asks: [(String, String)] = []
        var policy = CachePolicy.useProtocol
        var status = 200
        var answers: [(String, String)] = []
        var body = "content"
        var disconnects = false
        /// Whether 3 seconds pass afterwards.
        var pauses = false
        var expects = Source.any
        /// nil: not compared.
        var expectedStatus: Int? = 0
        var expectedText: String?
        var comparesBody = true
        var has: [(String, String)] = []
        var lacks: [String] = []
        /// Fields that the origin must receive.
        var sends: [(String, String)] = []
    }

    let id: String
    let kind: Kind
    let steps: [Step]

    var testDescription: String { id }

    init(_ id: String, _ kind: Kind, _ steps: [Step]) { (self.id, self.kind, self.steps) = (id, kind, steps) }

    typealias Fields = [(String, String)]

    /// A response that is fresh, and 3 seconds.
    static func fresh(_ answers: Fields = [], asks: Fields = [], status: Int = 200) -> Step {
        Step(
            asks: asks, status: status, answers: [("Cache-Control", "max-age=100000"), ("Date", "@0")] + answers,
            pauses: true)
    }

    /// A response that is stale after 3 seconds.
    static func becomesStale(_ answers: Fields = []) -> Step {
        Step(answers: [("Cache-Control", "max-age=2"), ("Template-A", "1")] + answers, pauses: true)
    }

    /// A response, 3 seconds, and the question where the next one comes from.
    static func after(_ answers: Fields, _ source: Source) -> [Step] {
        [Step(answers: answers, pauses: true), Step(expects: source)]
    }
}

// MARK: - To run a case

extension CacheBehaviourCase {
    /// Returns what is wrong; nil if all is right.
    func failure() -> String? {
        var simulation = CacheSimulation()
        simulation.rules.answersWhenDisconnected = true
        for (index, step) in steps.enumerated() {
            let previous = index > 0 ? steps[index - 1] : nil
            simulation.origin = { sent, now in Self.answer(sent, step, previous, number: index + 1, now) }
            let now = simulation.now
            let sentBefore = simulation.sent.count
            let url = URL(string: "http://a.example/\(step.path)")!
            let reply = simulation.get(
                Self.dated(step.asks, now), url: url, method: step.method, policy: step.policy,
                hasBody: step.method != "GET" && step.method != "HEAD")
            let seen = simulation.sent.dropFirst(sentBefore).filter { !$0.isBackground }
            if let failure = step.failure(reply, Array(seen), number: index + 1, now) {
                return "\(index + 1): \(failure)"
            }
            if step.pauses { simulation.now += 3 }
        }
        return nil
    }

    private static func answer(
        _ sent: CacheSimulation.Sent, _ step: Step, _ previous: Step?, number: Int, _ now: Date
    ) -> CacheSimulation.Origin {
        var headers = dated(step.answers, now)
        headers.add(name: "Step", value: "\(number)")
        var status = step.status
        if step.expects == .tagValidated || step.expects == .dateValidated {
            let last = HeaderFields(previous?.answers ?? [])
            let isTag = last["ETag"].map { sent.headers["If-None-Match"] == $0 } ?? false
            let isDate = last["Last-Modified"] != nil && sent.headers["If-Modified-Since"] != nil
            status = isTag || isDate ? 304 : 999
        }
        return CacheSimulation.Origin(
            status: status, headers: headers, body: status == 304 ? "" : step.body, disconnects: step.disconnects)
    }

    static func dated(_ fields: Fields, _ now: Date) -> HeaderFields {
        HeaderFields(
            fields.map { name, value in
                guard value.hasPrefix("@"), let seconds = TimeInterval(value.dropFirst()) else { return (name, value) }
                return (name, HTTPDate.text(of: now + seconds))
            })
    }
}

extension CacheBehaviourCase.Step {
    fileprivate func failure(
        _ reply: CacheSimulation.Reply, _ seen: [CacheSimulation.Sent], number: Int, _ now: Date
    ) -> String? {
        if seen.count > 1 { return "the request was sent \(seen.count) times" }
        let step = reply.headers["Step"].flatMap { Int($0) } ?? 0
        switch expects {
        case .cached: if step >= number || reply.isFailed { return "not from the cache" }
        case .notCached: if step != number { return "from the cache" }
        case .tagValidated: if seen.first?.headers["If-None-Match"] == nil { return "no If-None-Match" }
        case .dateValidated: if seen.first?.headers["If-Modified-Since"] == nil { return "no If-Modified-Since" }
        case .any: break
        }
        let wanted = expectedStatus == 0 ? status : expectedStatus
        if let wanted, reply.status != wanted { return "status \(reply.status)" }
        for (name, value) in has {
            let expected = CacheBehaviourCase.dated([(name, value)], now)[name]
            if value.hasPrefix(">") {
                guard let number = reply.headers[name].flatMap({ Int($0) }), number > Int(value.dropFirst()) ?? 0
                else { return "\(name) is \(reply.headers[name] ?? "absent")" }
            } else if reply.headers[name] != expected {
                return "\(name) is \(reply.headers[name] ?? "absent")"
            }
        }
        if let name = lacks.first(where: { reply.headers[$0] != nil }) { return "has \(name)" }
        for (name, value) in sends where seen.first?.headers[name] != value {
            return "sent \(name): \(seen.first?.headers[name] ?? "nothing")"
        }
        guard comparesBody, wanted != nil, method != "HEAD", ![204, 304].contains(reply.status) else { return nil }
        return reply.body == expectedText ?? body ? nil : "body \(reply.body)"
    }
}
