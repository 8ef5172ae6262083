// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// Measures the time of one simulated transfer: its instants and the time it has used, on the clock of its network.
/// Usually this is `MonotonicClock`; a `TestClock` provides simulated time. Network thread only.
struct SimulatedInstants {
    private let isMachineTime: Bool
    private let clock: TimeSource
    /// The instant at which the transfer began or resumed; nil during a pause.
    private var runningSince: UInt64?
    private var used: UInt64 = 0
    /// The arrival of the head, on both clocks.
    private var head: (simulated: UInt64, machine: UInt64)?

    init(_ network: SimulatedNetwork) {
        isMachineTime = network.time == nil
        clock = network.timers.clock
        runningSince = clock.now()
    }

    var now: UInt64 { clock.now() }

    mutating func pause() {
        if let runningSince { used += now - runningSince }
        runningSince = nil
    }

    /// - Parameter deadline: an instant of `MonotonicClock`, which does not include used simulated time.
    /// - Returns: the deadline on the network's clock.
    mutating func resume(deadline: UInt64) -> UInt64 {
        runningSince = now
        return self.deadline(deadline)
    }

    mutating func recordHead() { head = (now, MonotonicClock.now()) }

    /// The simulated time that the transfer has used; 0 on the machine's clock.
    var usedTime: UInt64 {
        guard !isMachineTime else { return 0 }
        return used + (runningSince.map { now - $0 } ?? 0)
    }

    /// Returns the deadline of the whole transfer on the network's clock.
    func deadline(_ deadline: UInt64) -> UInt64 {
        guard !isMachineTime, deadline != .max else { return deadline }
        let machine = MonotonicClock.now()
        let left = deadline > machine ? deadline - machine : 0
        return now + (left > used ? left - used : 0)
    }

    /// Returns the deadline of the rest of the body, counted from the arrival of the head, on the network's clock.
    func bodyDeadline(_ deadline: UInt64) -> UInt64 {
        guard !isMachineTime, deadline != .max, let head else { return deadline }
        return head.simulated + (deadline > head.machine ? deadline - head.machine : 0)
    }
}
