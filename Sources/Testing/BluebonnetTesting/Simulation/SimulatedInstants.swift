// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The instants of one simulated transfer in the time of its network, and how much of that time it has used. Without a
/// simulated time, which is the usual case, instants are those of `MonotonicClock`. Network thread only.
struct SimulatedInstants {
    private let isMachineTime: Bool
    private let clock: TimeSource
    /// When the transfer began or went on after a pause; nil during a pause.
    private var runningSince: UInt64?
    private var used: UInt64 = 0
    /// The two clocks when the head arrived.
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

    /// - Parameter deadline: an instant of `MonotonicClock`, which does not know of the simulated time that was used.
    /// - Returns: the deadline.
    mutating func goOn(until deadline: UInt64) -> UInt64 {
        runningSince = now
        return self.deadline(deadline)
    }

    mutating func noteHead() { head = (now, MonotonicClock.now()) }

    /// The simulated time that the transfer has used; 0 without one.
    var usedTime: UInt64 {
        guard !isMachineTime else { return 0 }
        return used + (runningSince.map { now - $0 } ?? 0)
    }

    /// The deadline of the whole transfer.
    func deadline(_ deadline: UInt64) -> UInt64 {
        guard !isMachineTime, deadline != .max else { return deadline }
        let machine = MonotonicClock.now()
        let left = deadline > machine ? deadline - machine : 0
        return now + (left > used ? left - used : 0)
    }

    /// The deadline of the rest of the body, which counts from the head's arrival.
    func bodyDeadline(_ deadline: UInt64) -> UInt64 {
        guard !isMachineTime, deadline != .max, let head else { return deadline }
        return head.simulated + (deadline > head.machine ? deadline - head.machine : 0)
    }
}
