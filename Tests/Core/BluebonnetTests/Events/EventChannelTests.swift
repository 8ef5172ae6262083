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
        let channels = EventChannels.channels(for: [log, log])
        #expect(channels.count == 1)
        #expect(EventChannels.channels(for: [log]).first === channels.first)
    }
}
