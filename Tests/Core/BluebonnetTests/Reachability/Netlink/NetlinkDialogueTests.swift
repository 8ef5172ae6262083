// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct NetlinkDialogueTests {
    private static let port: UInt32 = 4711
    private let eth0 = NetworkTable.Link(index: 2, type: 1, name: "eth0")
    private let own = NetworkTable.Address(address: IPAddress(bytes: [10, 0, 0, 2])!, interface: 2)
    private let far = IPAddress(bytes: [198, 41, 0, 4])!
    private let far6 = IPAddress("2001:503:ba3e::2:30")!

    private func answer(_ sequence: UInt32, _ body: NetlinkMessage.Body, isInterrupted: Bool = false) -> NetlinkMessage
    {
        NetlinkMessage(port: Self.port, sequence: sequence, isInterrupted: isInterrupted, body: body)
    }

    /// A notification. If another process's command caused it, it has that process's port and sequence number.
    private func news(_ body: NetlinkMessage.Body, port: UInt32 = 815) -> NetlinkMessage {
        NetlinkMessage(port: port, sequence: 1, body: body)
    }

    /// A dialogue that has its lists. Two sequence numbers are used up.
    private func following() -> NetlinkDialogue {
        var dialogue = NetlinkDialogue(port: Self.port)
        _ = dialogue.begin()
        _ = dialogue.handle(answer(1, .link(eth0)))
        _ = dialogue.handle(answer(1, .done))
        _ = dialogue.handle(answer(2, .address(own)))
        _ = dialogue.handle(answer(2, .done))
        return dialogue
    }

    @Test func linksAreListedThenAddresses() {
        var dialogue = NetlinkDialogue(port: Self.port)
        #expect(dialogue.phase == .stale)
        #expect(dialogue.begin() == [.send(.allLinks, sequence: 1)])
        #expect(dialogue.handle(answer(1, .link(eth0))) == [])
        #expect(dialogue.handle(answer(1, .done)) == [.send(.allAddresses, sequence: 2)])
        #expect(dialogue.handle(answer(2, .address(own))) == [])
        #expect(dialogue.table == NetworkTable(), "a list counts when it is complete")
        #expect(dialogue.handle(answer(2, .done)) == [.listed])
        #expect(dialogue.table.links == [2: eth0])
        #expect(dialogue.table.addresses == [own])
        #expect(dialogue.phase == .following)
    }

    @Test func notificationsAreAppliedAndReported() {
        var dialogue = following()
        #expect(dialogue.handle(news(.addressRemoved(own))) == [.changed])
        #expect(dialogue.handle(news(.linkRemoved(index: 2), port: 0)) == [.changed])
        #expect(dialogue.table == NetworkTable())
        for body in [NetlinkMessage.Body.route(RouteAnswer.Route()), .routingChanged] {
            #expect(dialogue.handle(news(body)) == [.changed])
        }
        for body in [NetlinkMessage.Body.other, .done, .error(EPERM)] { #expect(dialogue.handle(news(body)) == []) }
    }

    @Test func notificationsDuringAListingAreApplied() {
        var dialogue = NetlinkDialogue(port: Self.port)
        _ = dialogue.begin()
        _ = dialogue.handle(answer(1, .link(eth0)))
        #expect(dialogue.handle(news(.linkRemoved(index: 2))) == [.changed])
        _ = dialogue.handle(answer(1, .done))
        #expect(dialogue.handle(news(.address(own))) == [.changed])
        _ = dialogue.handle(answer(2, .done))
        #expect(dialogue.table.links.isEmpty)
        #expect(dialogue.table.addresses == [own])
    }

    @Test func newListRemovesMissingEntries() {
        var dialogue = following()
        #expect(dialogue.invalidate() == [.changed])
        #expect(dialogue.phase == .stale)
        #expect(dialogue.begin() == [.send(.allLinks, sequence: 3)])
        _ = dialogue.handle(answer(3, .done))
        #expect(dialogue.handle(answer(4, .done)) == [.listed])
        #expect(dialogue.table == NetworkTable())
    }

    @Test(arguments: [EBUSY, ENOBUFS, EINTR])
    func temporaryErrorMakesTheListStale(code: Int32) {
        var dialogue = NetlinkDialogue(port: Self.port)
        _ = dialogue.begin()
        #expect(dialogue.handle(answer(1, .error(code))) == [.changed])
        #expect(dialogue.phase == .stale)
    }

    @Test(arguments: [EPERM, EACCES, EOPNOTSUPP])
    func refusedListEndsTheDialogue(code: Int32) {
        var dialogue = NetlinkDialogue(port: Self.port)
        _ = dialogue.begin()
        #expect(dialogue.handle(answer(1, .error(code))) == [.refused])
        #expect(dialogue.phase == .refused)
        #expect(dialogue.invalidate() == [])
    }

    @Test func interruptedListIsRequestedAgain() {
        var dialogue = NetlinkDialogue(port: Self.port)
        _ = dialogue.begin()
        _ = dialogue.handle(answer(1, .link(eth0), isInterrupted: true))
        #expect(dialogue.handle(answer(1, .done)) == [.changed])
        #expect(dialogue.phase == .stale)
        #expect(dialogue.begin() == [.send(.allLinks, sequence: 2)])
        #expect(dialogue.handle(answer(2, .done)) == [.send(.allAddresses, sequence: 3)])
    }

    @Test func lostMessagesMakeEverythingStale() {
        var dialogue = following()
        #expect(dialogue.handle(answer(0, .overrun)) == [.changed])
        #expect(dialogue.phase == .stale)
        var asking = following()
        _ = asking.lookUp([far])
        #expect(asking.invalidate() == [.changed])
        #expect(asking.handle(answer(3, .route(RouteAnswer.Route()))) == [], "the answer comes too late")
    }

    @Test func answersAreCollected() {
        var dialogue = following()
        let sent = dialogue.lookUp([far, far6])
        #expect(Set(sent.compactMap(\.destination)) == [far, far6])
        let route = RouteAnswer.Route(interface: 2)
        for effect in sent {
            guard case .send(.route(let address, _), let sequence) = effect else { continue }
            let body: NetlinkMessage.Body = address == far ? .route(route) : .error(ENETUNREACH)
            let effects = dialogue.handle(answer(sequence, body))
            #expect(effects == (sequence == 4 ? [.answered([far: .route(route), far6: .unreachable])] : []))
        }
        #expect(dialogue.phase == .following)
    }

    @Test func emptyLookUpIsAnsweredAtOnce() {
        var dialogue = following()
        #expect(dialogue.lookUp([]) == [.answered([:])])
        #expect(dialogue.phase == .following)
    }

    @Test(arguments: [
        (ENETUNREACH, RouteAnswer.unreachable), (EHOSTUNREACH, .unreachable), (EACCES, .unreachable),
        (EINVAL, .unreachable), (EPERM, .refused), (EOPNOTSUPP, .refused),
    ])
    func routeErrorIsAnAnswer(code: Int32, meaning: RouteAnswer) {
        var dialogue = following()
        _ = dialogue.lookUp([far])
        #expect(dialogue.handle(answer(3, .error(code))) == [.answered([far: meaning])])
    }

    @Test func kernelWithoutIPv6CannotReachIPv6Addresses() {
        var dialogue = following()
        _ = dialogue.lookUp([far6])
        #expect(dialogue.handle(answer(3, .error(EOPNOTSUPP))) == [.answered([far6: .unreachable])])
    }

    @Test func linkLocalAddressIsLookedUpByItsInterface() throws {
        let local = try #require(IPAddress("fe80::1%eth0"))
        let lost = try #require(IPAddress("fe80::1%eth9"))
        var dialogue = following()
        #expect(dialogue.lookUp([local]) == [.send(.route(to: local, interface: 2), sequence: 3)])
        var other = following()
        #expect(other.lookUp([lost]) == [.answered([lost: .unreachable])])
    }

    @Test func atMostEightLookUpsAreSentAtOnce() {
        var dialogue = following()
        let addresses = Set((1...20).map { IPAddress(bytes: [192, 0, 2, UInt8($0)])! })
        var sent = dialogue.lookUp(addresses)
        #expect(sent.count == 8)
        var asked: Set<IPAddress> = []
        var results: [NetlinkDialogue.Effect] = []
        while let effect = sent.popLast() {
            guard case .send(.route(let address, _), let sequence) = effect else { continue }
            asked.insert(address)
            let effects = dialogue.handle(answer(sequence, .error(ENETUNREACH)))
            results += effects.filter { $0.destination == nil }
            sent += effects.filter { $0.destination != nil }
        }
        #expect(asked == addresses)
        #expect(results == [.answered(Dictionary(uniqueKeysWithValues: addresses.map { ($0, .unreachable) }))])
    }

    @Test func answerToAnotherProcessIsANotification() {
        var dialogue = following()
        _ = dialogue.lookUp([far])
        let foreign = NetlinkMessage(port: 815, sequence: 3, body: .route(RouteAnswer.Route(interface: 9)))
        #expect(dialogue.handle(foreign) == [.changed])
        #expect(dialogue.handle(answer(3, .error(ENETUNREACH))) == [.answered([far: .unreachable])])
    }
}

extension NetlinkDialogue.Effect {
    /// The address whose route a request asks for.
    fileprivate var destination: IPAddress? {
        guard case .send(.route(let address, _), _) = self else { return nil }
        return address
    }
}
