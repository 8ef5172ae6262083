// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Where a time limit can be set, and which setting applies.
@Suite(.timeLimit(.minutes(1))) struct TimeoutsTests {
    private let network = ScriptedNetwork()

    /// A manager on the scripted network that accepts any body.
    private var manager: RequestOperationManager {
        let manager = network.manager()
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }

    /// The value set in each place, and the limit that applies, in seconds. A nil place is not set; a nil limit is no
    /// limit.
    struct Idle: Sendable {
        var operation: Double?
        var request: Double?
        var manager: Double?
        let counts: Double?
    }

    @Test(arguments: [
        Idle(counts: 60), Idle(manager: 20, counts: 20), Idle(request: 5, counts: 5), Idle(operation: 3, counts: 3),
        Idle(request: 300, manager: 20, counts: 300), Idle(operation: 3, manager: 20, counts: 3),
        Idle(operation: 3, request: 5, counts: 3), Idle(operation: 3, request: 300, manager: 20, counts: 3),
        Idle(request: 60, manager: 20, counts: 20), Idle(operation: 0, counts: nil), Idle(manager: 0, counts: nil),
        Idle(request: 0, manager: 20, counts: nil), Idle(operation: 0, request: 5, manager: 20, counts: nil),
        Idle(operation: 70, manager: 0, counts: 70),
    ])
    func idleLimitPrefersOperationThenRequestThenManager(_ idle: Idle) async throws {
        let manager = manager
        manager.timeouts.idle = idle.manager.map { .seconds($0) }
        var request = network.request("/")
        if let interval = idle.request { request.timeoutInterval = interval }
        let operation = manager.operation(with: request)
        operation.timeouts.total = .seconds(100)  // another limit does not make the idle limit the operation's own
        if let own = idle.operation { operation.timeouts.idle = .seconds(own) }
        try await manager.run(operation)
        let limits = try #require(network.log.requests.first).limits
        #expect(limits.idleTimeout == UInt64((idle.counts ?? 0) * 1e9))
        let command = try #require(operation.curlCommand())
        #expect(command.contains("--speed-time \(Int(idle.counts ?? 0)) ") == (idle.counts != nil))
    }

    @Test func idleLimitOfALateRequestApplies() async throws {
        let manager = manager
        manager.timeouts.idle = .seconds(20)
        let operation = manager.operation(after: []) {
            URLRequest(url: ScriptedNetwork.url("/"), timeoutInterval: 5)
        }
        try await manager.run(operation)
        #expect(network.log.requests.first?.limits.idleTimeout == 5_000_000_000)
    }

    @Test func operationCanRemoveTheManagersLimits() async throws {
        let manager = manager
        manager.timeouts = Timeouts(connect: .seconds(3), idle: .seconds(20), total: .seconds(30))
        let operation = manager.operation("GET", "a") { $0.timeouts = Timeouts() }
        try await manager.run(operation)
        let request = try #require(network.log.requests.first)
        #expect(request.limits.connectTimeout == 10_000_000_000 && request.limits.idleTimeout == 60_000_000_000)
        #expect(operation.timeouts.total == nil)
        #expect(operation.curlCommand()?.contains("--max-time") == false)
    }

    @Test func optionsOfAnOperationOverrideTheRequest() async throws {
        let operation = network.operation("/", options: TransferOptions { $0.timeouts.idle = .seconds(7) })
        var request = network.request("/")
        request.timeoutInterval = 5
        let own = RequestPlan(request, options: ResolvedOptions(operation.options))
        #expect(try own.prepared().get().idleTimeout == 7_000_000_000)
    }

    @Test func archiveHoldsTheEffectiveLimit() async throws {
        let manager = RequestOperationManager()
        manager.timeouts = Timeouts(connect: .seconds(1), idle: .seconds(20), total: .seconds(90))
        let late = URLRequest(url: ScriptedNetwork.url("/"), timeoutInterval: 5)
        let (first, second) = (manager.operation(with: late), manager.operation("GET", "http://scripted.test/"))
        let archives = [try await first.archive(), try await second.archive()]
        let again = try archives.map { try HTTPRequestOperation(archive: $0) }
        #expect(again.map(\.timeouts.idle) == [nil, .seconds(20)])
        #expect(again.map(\.request?.timeoutInterval) == [5, 60])
        #expect(again.allSatisfy { $0.timeouts.connect == .seconds(1) && $0.timeouts.total == .seconds(90) })
    }

    @Test(
        arguments: [
            (nil, 10_000_000_000), (.zero, 0), (.seconds(-1), 1), (.milliseconds(2), 2_000_000),
        ] as [(Duration?, UInt64)])
    func connectLimitIsTenSecondsUnlessItIsSet(limit: Duration?, nanoseconds: UInt64) {
        #expect(ResolvedTimeouts(Timeouts(connect: limit), isIdleOwn: true).connect == nanoseconds)
    }

    @Test func totalLimitPrefersClosureThenCallThenManager() {
        let manager = manager
        #expect(manager.operation("GET", "a").timeouts.total == nil)
        manager.timeouts.total = .seconds(30)
        #expect(manager.operation("GET", "a").timeouts.total == .seconds(30))
        #expect(manager.operation("GET", "a", timeout: .seconds(4)).timeouts.total == .seconds(4))
        let operation = manager.operation("GET", "a", timeout: .seconds(4)) { $0.timeouts.total = .seconds(2) }
        #expect(operation.timeouts.total == .seconds(2))
    }

    @Test func zeroTotalLimitIsUnlimitedAndNegativeHasPassed() async {
        let manager = manager
        let unlimited = manager.operation("GET", "a", timeout: .zero)
        let late = manager.operation("GET", "b", timeout: .seconds(-1))
        await #expect(throws: Never.self) { try await manager.run(unlimited) }
        let error = await #expect(throws: NetworkingError.self) { try await manager.run(late) }
        #expect(error?.code == .timedOut && error?.timeLimit == .total)
        #expect(network.log.requests.map(\.url.path) == ["/a"])
    }

    @Test func managerUsesTheLimitsOfItsConfiguration() {
        var configuration = RequestOperationManager.Configuration()
        configuration.timeouts = Timeouts(idle: .seconds(9), connectivity: .seconds(8))
        let manager = RequestOperationManager(configuration: configuration)
        #expect(manager.timeouts == configuration.transferOptions.timeouts)
        #expect(manager.operation("GET", "http://h/").timeouts == manager.timeouts)
    }

    @Test func limitsAreFixedWhenTheCallStarts() async throws {
        let manager = manager
        let operation = manager.operation("GET", "big.bin") { $0.timeouts.idle = .seconds(20) }
        try await manager.run(operation)
        operation.timeouts.idle = .seconds(1)
        #expect(operation.timeouts.idle == .seconds(20))
        #expect(network.log.requests.first?.limits.idleTimeout == 20_000_000_000)
    }
}
