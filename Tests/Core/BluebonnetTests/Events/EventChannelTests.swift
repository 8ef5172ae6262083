// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct EventChannelTests {
    @Test func eventsArriveInOrderOffTheNetworkThread() async {
        let log = EventLog()
        let channel = EventChannel(log)
        for number in 1...1_000 { channel.append(RequestEvent(operation: number, .admitted)) }
        await log.events.becomes { $0.count == 1_000 }
        #expect(log.events.value.map(\.operation) == (1...1_000).map { $0 })
    }

    @Test func fullBufferCountsDroppedEvents() async {
        let log = EventLog()
        let channel = EventChannel(log, capacity: 10)
        Queues.events.suspend()
        for number in 1...25 { channel.append(RequestEvent(operation: number, .admitted)) }
        Queues.events.resume()
        await log.events.becomes { $0.count == 11 }
        let events = log.events.value
        #expect(events.prefix(10).map(\.operation) == (1...10).map { $0 })
        guard case .eventsDropped(15)? = events.last?.kind else {
            Issue.record("the dropped events are not counted: \(events)")
            return
        }
        channel.append(RequestEvent(operation: 26, .admitted))
        await log.events.becomes { $0.count == 12 }
    }

    @Test func sameMonitorHasOneChannelWhileInUse() {
        let log = EventLog()
        let list = EventChannelList([log, log])
        #expect(list.channels.count == 1)
        #expect(EventChannelList([log]).channels.first === list.channels.first)
    }

    /// A program often releases its last manager, and then waits for the last events.
    @Test func flushDeliversTheEventsOfAListThatIsReleased() async {
        for _ in 0..<100 {
            let log = EventLog()
            func report() { EventChannelList([log]).pass(RequestEvent(operation: 1, .admitted)) }
            report()
            #expect(await log.all.count { $0.operation == 1 } == 1)
        }
    }

    @Test func monitorInUseAgainGetsEventsOnce() async {
        let log = EventLog()
        for number in 1...100 { EventChannelList([log]).pass(RequestEvent(operation: number, .admitted)) }
        #expect(await log.all.compactMap(\.operation) == (1...100).map { $0 })
    }

    @Test func monitorReceivesTheKindsThatItWants() async {
        let (all, some) = (EventLog(), EventLog(kinds: [.hopBegan, .finished]))
        let list = EventChannelList([all, some])
        #expect(list.kinds == .all && EventChannelList([some]).kinds == [.hopBegan, .finished])
        let kinds: [RequestEvent.Kind] = [
            .queued(nil), .hopBegan(.init(method: "GET", url: "/")), .requestHeadSent, .finished(.init()),
        ]
        for kind in kinds { list.pass(RequestEvent(operation: 1, kind)) }
        list.pass(RequestEvent(operation: 2, .admitted), RequestEvent(operation: 2, .finished(.init())))
        // Connections of other tests are events, too.
        await all.events.becomes { $0.count { $0.operation != nil } == 6 }
        await some.events.becomes { $0.count == 3 }
        #expect(some.events.value.map(\.kind.name) == ["hopBegan", "finished", "finished"])
    }

    @Test func kindsAreDistinct() {
        let kinds: [RequestEvent.Kinds] = [.operations, .hops, .connections, [.governorChanged, .eventsDropped]]
        let union = kinds.reduce(RequestEvent.Kinds()) { $0.union($1) }
        #expect(kinds.reduce(0) { $0 + $1.rawValue.nonzeroBitCount } == union.rawValue.nonzeroBitCount)
        #expect(union.rawValue.nonzeroBitCount == 28)
        #expect(RequestEvent.Kind.requestHeadSent.kinds == .requestHeadSent)
        #expect(RequestEvent.Kind.eventsDropped(1).kinds == .eventsDropped)
    }
}
