// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import RealServers
import Testing

extension FaultTests {
    @Suite struct FaultScheduleTests {
        private func plans(_ schedule: FaultSchedule, count: Int = 500) -> [FaultPlan] {
            (0..<count).map { schedule.plan(forConnection: $0) }
        }

        @Test func seedYieldsSamePlansInAnyOrder() {
            let forwards = plans(FaultSchedule(seed: 7))
            let schedule = FaultSchedule(seed: 7)
            let backwards = (0..<500).reversed().map { schedule.plan(forConnection: $0) }
            #expect(forwards == backwards.reversed())
            #expect(forwards != plans(FaultSchedule(seed: 8)))
            #expect("\(schedule)".contains("7"))
        }

        @Test func randomPlansCoverEveryFaultInBothDirections() {
            let plans = plans(FaultSchedule(seed: 1))
            let faults = [plans.compactMap(\.toServer.fault), plans.compactMap(\.toClient.fault)]
            for faults in faults {
                let names = Set(faults.map { "\($0.kind)".prefix { $0 != "(" } })
                #expect(names == ["drop", "reset", "halfClose", "stall"])
                #expect(faults.contains { $0.kind == .stall(nil) })
                #expect(faults.contains { $0.afterByteCount < 100 } && faults.contains { $0.afterByteCount > 50_000 })
            }
            #expect(plans.contains { $0.isRefused } && plans.contains(FaultPlan()))
            #expect(plans.contains { $0.toClient.sliceByteCount != nil })
        }

        @Test func connectionsBeyondLimitHaveNoFaults() {
            var limits = FaultSchedule.Limits()
            limits.faultyPercentage = 100
            limits.connectionCount = 3
            let plans = plans(FaultSchedule(seed: 2, limits: limits), count: 10)
            #expect(!plans[..<3].contains(FaultPlan()))
            #expect(plans[3...].allSatisfy { $0 == FaultPlan() })
        }

        @Test func requestHalfClosesCanBeDisabled() {
            var limits = FaultSchedule.Limits()
            limits.halfClosesRequests = false
            let plans = plans(FaultSchedule(seed: 1, limits: limits))
            #expect(!plans.contains { $0.toServer.fault?.kind == .halfClose })
            #expect(plans.contains { $0.toClient.fault?.kind == .halfClose })
        }

        @Test func listedPlansPrecedeFallbackPlan() {
            let reset = FaultPlan.toClient(.reset, afterByteCount: 10)
            let schedule = FaultSchedule([reset], then: .toServer(.drop, afterByteCount: 1))
            #expect(schedule.plan(forConnection: 0) == reset)
            #expect(schedule.plan(forConnection: 5).toServer.fault?.kind == .drop)
            #expect("\(schedule)" == "faults [to client: reset after 10], then to server: drop after 1")
        }
    }
}
