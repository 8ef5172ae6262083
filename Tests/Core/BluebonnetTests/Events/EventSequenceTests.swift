// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct EventSequenceTests {
    private typealias Kind = RequestEvent.Kind

    private static let head = RequestEvent.HopRequestHead(method: "GET", url: "http://a.test/")

    /// The steps that an operation can report, by name.
    private static let steps: [(name: String, step: Kind)] = [
        ("queued", .queued(nil)), ("admitted", .admitted), ("waitBegan slot", .waitBegan(.slot(limit: nil))),
        ("waitBegan block", .waitBegan(.block)), ("waitEnded", .waitEnded(.slot)), ("paused", .paused),
        ("resumed", .resumed), ("hopBegan", .hopBegan(head)), ("hopEnded", .hopEnded(RequestEvent.HopEnd(.complete))),
        ("hopFailed", .hopEnded(RequestEvent.HopEnd(.failed(.timedOut)))), ("requestHeadSent", .requestHeadSent),
        ("requestBodySent", .requestBodySent(byteCount: 1)),
        ("connectionAcquired", .connectionAcquired(.init(.init(number: 1), isReused: true))),
        ("responseBodyReceived", .responseBodyReceived(byteCount: 1, decodedByteCount: 1)),
        ("firstByte", .firstByte(.zero)), ("retryDecided", .retryDecided(.stop(.notTransient, .init(code: .timedOut)))),
        ("finished", .finished(RequestEvent.OperationEnd())),
    ]

    private static func events(_ names: [String]) -> [String] {
        var sequence = EventSequence()
        var events: [String] = []
        for name in names {
            guard let step = steps.first(where: { $0.name == name })?.step else { return ["no step \(name)"] }
            sequence.apply(step) { events.append("\($1.name) \($0)") }
        }
        return events
    }

    @Test(arguments: [
        (
            ["queued", "admitted", "hopBegan", "firstByte", "hopEnded", "finished"],
            [
                "queued 0", "admitted 0", "hopBegan 1", "requestHeadSent 1", "firstByte 1", "responseBodyReceived 1",
                "hopEnded 1", "finished 1",
            ]
        ),
        // A head and a body are sent once over each connection; the body and the response come after the head.
        (
            [
                "queued", "hopBegan", "requestHeadSent", "requestHeadSent", "requestBodySent", "requestBodySent",
                "finished",
            ],
            [
                "queued 0", "hopBegan 1", "requestHeadSent 1", "requestBodySent 1", "hopEnded 1", "finished 1",
            ]
        ),
        (
            [
                "queued", "hopBegan", "requestBodySent", "connectionAcquired", "firstByte", "requestHeadSent",
                "finished",
            ],
            [
                "queued 0", "hopBegan 1", "requestHeadSent 1", "requestBodySent 1", "connectionAcquired 1",
                "requestHeadSent 1", "firstByte 1", "hopEnded 1", "finished 1",
            ]
        ),
        // The end of a response's body is a part of the hop's end.
        (
            ["queued", "hopBegan", "responseBodyReceived", "hopFailed", "hopBegan", "hopEnded", "finished"],
            [
                "queued 0", "hopBegan 1", "hopEnded 1", "hopBegan 2", "requestHeadSent 2", "responseBodyReceived 2",
                "hopEnded 2", "finished 2",
            ]
        ),
        // Nothing is reported before the beginning and after the end.
        (["admitted", "paused", "queued", "queued", "finished", "finished", "hopBegan"], ["queued 0", "finished 0"]),
        // The end closes what is open.
        (
            ["queued", "paused", "hopBegan", "waitBegan block", "finished"],
            [
                "queued 0", "paused 0", "hopBegan 1", "waitBegan 1", "hopEnded 1", "waitEnded 1", "resumed 1",
                "finished 1",
            ]
        ),
        // An end without a beginning is left out, and so is a second beginning.
        (
            ["queued", "resumed", "waitEnded", "hopEnded", "firstByte", "admitted", "admitted", "finished"],
            ["queued 0", "admitted 0", "finished 0"]
        ),
        // Another wait ends the first; a hop ends the wait and the hop before.
        (
            ["queued", "waitBegan slot", "waitBegan block", "hopBegan", "hopBegan", "finished"],
            [
                "queued 0", "waitBegan 0", "waitEnded 0", "waitBegan 0", "waitEnded 0", "hopBegan 1", "hopEnded 1",
                "hopBegan 2", "hopEnded 2", "finished 2",
            ]
        ),
        // A pause may overlap with a hop.
        (
            ["queued", "hopBegan", "paused", "hopEnded", "resumed", "finished"],
            [
                "queued 0", "hopBegan 1", "paused 1", "requestHeadSent 1", "responseBodyReceived 1", "hopEnded 1",
                "resumed 1", "finished 1",
            ]
        ),
    ]) func stepsBecomePairs(steps: [String], events: [String]) {
        #expect(Self.events(steps) == events)
    }

    @Test func randomStepsAlwaysMakePairs() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<10_000 {
            var (sequence, pairs, names) = (EventSequence(), EventPairs(), [String]())
            for _ in 0..<Int.random(in: 0..<30, using: &random) {
                let (name, step) = Self.steps.randomElement(using: &random)!
                names.append(name)
                sequence.apply(step) { pairs.add($1) }
            }
            sequence.apply(.finished(RequestEvent.OperationEnd())) { pairs.add($1) }
            #expect(pairs.fault(isFinished: names.contains("queued")) == nil, "\(names)")
        }
    }
}
