// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore

/// One direction of a connection: passes bytes from one socket to the other with the delays, pieces and faults of the
/// plan. Event-loop thread only.
final class FaultPipe {
    private enum Ending {
        /// The source still sends.
        case open
        /// The source has closed its side, and the buffered bytes must still be delivered.
        case announced
        /// The target received the end, or will receive nothing further.
        case done
    }

    /// The number of buffered bytes at which the source is no longer read.
    private static let bufferLimit = 256 * 1024

    private let source: any Channel
    private let target: any Channel
    private let plan: FaultPlan.Direction
    private let fail: (FaultPlan.FaultKind) -> Void
    private var buffered: [(bytes: ByteBuffer, due: NIODeadline)] = []
    private var bufferedByteCount = 0
    private var passedByteCount = 0
    private var pendingFault: FaultPlan.Fault?
    /// The time before which no bytes pass.
    private var nextPassing = NIODeadline.uptimeNanoseconds(0)
    private var isStalled = true
    private(set) var isStalledForever = false
    private var isTargetClosed = false
    private var ending = Ending.open
    private var timer: Scheduled<Void>?

    /// - Parameter fail: called for a fault that ends the whole connection.
    init(
        from source: any Channel, to target: any Channel, _ plan: FaultPlan.Direction,
        fail: @escaping (FaultPlan.FaultKind) -> Void
    ) {
        (self.source, self.target, self.plan, self.fail) = (source, target, plan, fail)
        pendingFault = plan.fault
    }

    func set(isStalled: Bool) {
        self.isStalled = isStalled
        pump()
    }

    func received(_ bytes: ByteBuffer) {
        guard ending == .open else { return }
        buffered.append((bytes, .now() + .nanoseconds(plan.latency.nanoseconds)))
        bufferedByteCount += bytes.readableBytes
        pump()
    }

    /// The source has closed its side.
    func sourceEnded() {
        guard ending == .open else { return }
        ending = .announced
        pump()
    }

    /// The target has closed. The source is closed too, unless the pipe is stalled.
    func targetClosed() {
        isTargetClosed = true
        pump()
    }

    /// Stops the pipe. Buffered bytes are dropped.
    func stop() {
        ending = .done
        timer?.cancel()
        timer = nil
        (buffered, bufferedByteCount) = ([], 0)
    }

    /// Passes on the bytes that may pass now, and schedules itself for the rest.
    func pump() {
        timer?.cancel()
        timer = nil
        if isTargetClosed && !isStalled {
            stop()
            source.close(promise: nil)
        }
        while ending != .done, !isStalled, !isStalledForever {
            let now = NIODeadline.now()
            guard now >= nextPassing else { return schedulePump(at: nextPassing) }
            if applyDueFault() { continue }
            guard let first = buffered.first else {
                if ending == .announced { end() }
                break
            }
            guard now >= first.due else { return schedulePump(at: first.due) }
            guard target.isWritable else { break }
            pass(now)
        }
        setReading()
    }

    /// Passes on one piece.
    private func pass(_ now: NIODeadline) {
        let slice = passedByteCount < plan.slicedByteCount ?? .max ? plan.sliceByteCount : nil
        var count = min(buffered[0].bytes.readableBytes, slice ?? .max)
        if let fault = pendingFault { count = min(count, fault.afterByteCount - passedByteCount) }
        if let rate = plan.bytesPerSecond {
            count = min(count, max(rate / 50, 1))
            nextPassing = now + .nanoseconds(Int64(count) * 1_000_000_000 / Int64(rate))
        } else if slice != nil {
            nextPassing = now + .microseconds(50)  // so that the other end receives separate pieces
        }
        guard let piece = buffered[0].bytes.readSlice(length: count) else { return }
        if buffered[0].bytes.readableBytes == 0 { buffered.removeFirst() }
        bufferedByteCount -= count
        passedByteCount += count
        target.writeAndFlush(piece, promise: nil)
    }

    /// Applies the fault if its position is reached. Returns whether it did.
    private func applyDueFault() -> Bool {
        guard let fault = pendingFault, passedByteCount >= fault.afterByteCount else { return false }
        pendingFault = nil
        switch fault.kind {
        case .drop, .reset:
            stop()
            fail(fault.kind)
        case .halfClose: end()
        case .stall(let time):
            if let time {
                nextPassing = .now() + .nanoseconds(time.nanoseconds)
            } else {
                isStalledForever = true
                setReading()
            }
        }
        return true
    }

    private func end() {
        stop()
        target.close(mode: .output, promise: nil)
        setReading()
    }

    /// Reads from the source while the buffer is below its limit. Bytes that arrive after a half-close are read and
    /// dropped.
    private func setReading() {
        let isWanted = !isStalled && !isStalledForever && bufferedByteCount < Self.bufferLimit
        try? source.syncOptions?.setOption(.autoRead, value: isWanted)
    }

    private func schedulePump(at time: NIODeadline) {
        setReading()
        let bound = NIOLoopBound(self, eventLoop: source.eventLoop)
        timer = source.eventLoop.scheduleTask(deadline: time) { bound.value.pump() }
    }
}

extension Duration {
    /// The duration in whole nanoseconds.
    fileprivate var nanoseconds: Int64 { Int64(self / .nanoseconds(1)) }
}
