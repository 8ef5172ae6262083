// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Whether the end, the queue and a question of an operation reach the graph, depending on earlier events.
@Suite struct DependencyNodeTests {
    enum Event: Sendable {
        case enter, leave, end, fail, settle, queue, ask
    }

    struct Row: Sendable {
        let events: [Event]
        /// The result of the last event: whether the graph must be notified.
        var tellsGraph: Bool?
        var number: TopologicalOrder.Node = TopologicalOrder.none
        var isEndUnsettled = false
    }

    static let rows = [
        Row(events: []),
        Row(events: [.end], tellsGraph: false),
        Row(events: [.fail], tellsGraph: false),
        Row(events: [.queue], tellsGraph: false),
        Row(events: [.ask], tellsGraph: false),
        Row(events: [.enter], number: 7),
        Row(events: [.enter, .end], tellsGraph: true, number: 7, isEndUnsettled: true),
        Row(events: [.enter, .fail], tellsGraph: true, number: 7, isEndUnsettled: true),
        Row(events: [.enter, .queue], tellsGraph: true, number: 7),
        Row(events: [.enter, .ask], tellsGraph: true, number: 7),
        Row(events: [.ask, .enter, .ask], tellsGraph: true, number: 7),
        Row(events: [.enter, .leave]),
        Row(events: [.enter, .leave, .end], tellsGraph: false),
        Row(events: [.enter, .leave, .queue], tellsGraph: false),
        Row(events: [.enter, .ask, .leave, .ask], tellsGraph: false),
        Row(events: [.enter, .end, .settle], number: 7),
        Row(events: [.enter, .end, .settle, .leave]),
        Row(events: [.end, .enter], number: 7, isEndUnsettled: true),
        Row(events: [.queue, .ask, .enter, .end], tellsGraph: true, number: 7, isEndUnsettled: true),
    ]

    @Test(arguments: rows) func graphIsNotifiedWhileNodeHasNumber(row: Row) {
        let node = DependencyNode()
        var tellsGraph: Bool?
        for event in row.events { tellsGraph = Self.apply(event, to: node) }
        #expect(tellsGraph == row.tellsGraph)
        #expect(node.number == row.number && node.isInGraph == (row.number != TopologicalOrder.none))
        #expect(node.isEndUnsettled == row.isEndUnsettled)
        #expect(node.hasEnded == (row.events.contains(.end) || row.events.contains(.fail)))
        #expect(node.hasFailed == row.events.contains(.fail))
        #expect(node.isQueued == row.events.contains(.queue))
        #expect(node.readinessWasRead == row.events.contains(.ask))
    }

    private static func apply(_ event: Event, to node: DependencyNode) -> Bool? {
        switch event {
        case .enter: node.enter(7)
        case .leave: node.leave()
        case .settle: node.settle()
        case .end: return node.end(hasFailed: false)
        case .fail: return node.end(hasFailed: true)
        case .queue: return node.markQueued()
        case .ask: return node.recordReadinessQuery()
        }
        return nil
    }

    @Test func lastUnfinishedDependencyIsDetected() {
        let node = DependencyNode()
        node.addUnfinishedDependency()
        node.addUnfinishedDependency()
        #expect(node.isWaiting)
        #expect(!node.removeUnfinishedDependency() && node.isWaiting)
        #expect(node.removeUnfinishedDependency() && !node.isWaiting)
    }
}
