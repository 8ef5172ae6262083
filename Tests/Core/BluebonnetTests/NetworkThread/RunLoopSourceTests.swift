// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CLinux
import CoreFoundation
import Foundation
import Glibc
import Testing

@testable import Bluebonnet

/// The behaviour of CFRunLoop that the network thread relies on. CFRunLoop documents none of this for Linux, so these
/// tests detect a newer toolchain that behaves differently.
@Suite(.timeLimit(.minutes(1))) struct RunLoopSourceTests {
    @Test func drainedDescriptorIsReportedAgainWhenReadableAgain() async {
        let calls = await onThreadOfItsOwn { descriptor, source in
            (0..<5).map { _ in
                descriptor.write()
                let result = Self.runOnce(atMost: 10)
                source.drain()
                return Observation(source.removeCallCount(), result == .handledSource)
            }
        }
        #expect(calls == Array(repeating: Observation(1, true), count: 5))
    }

    @Test func readableDescriptorIsReportedOnlyOnce() async {
        let calls = await onThreadOfItsOwn { descriptor, source in
            descriptor.write()
            let first = Self.runOnce(atMost: 10)
            let atFirst = Observation(source.removeCallCount(), first == .handledSource)
            let second = Self.runOnce(atMost: 0)
            return [atFirst, Observation(source.removeCallCount(), second == .handledSource)]
        }
        #expect(calls == [Observation(1, true), Observation(0, false)])
    }

    @Test func newEventIsReportedWithoutDraining() async {
        let calls = await onThreadOfItsOwn { descriptor, source in
            (0..<3).map { _ in
                descriptor.write()
                let result = Self.runOnce(atMost: 10)
                return Observation(source.removeCallCount(), result == .handledSource)
            }
        }
        #expect(calls == Array(repeating: Observation(1, true), count: 3))
    }

    @Test func untouchedDescriptorIsNotReported() async {
        let calls = await onThreadOfItsOwn { _, source in
            let result = Self.runOnce(atMost: 0)
            return [Observation(source.removeCallCount(), result == .handledSource)]
        }
        #expect(calls == [Observation(0, false)])
    }

    /// How often the source was called in one run, and whether the run loop reports that it served a source.
    struct Observation: Equatable, Sendable {
        let callCount: Int
        let didHandleSource: Bool

        init(_ callCount: Int, _ didHandleSource: Bool) {
            self.callCount = callCount
            self.didHandleSource = didHandleSource
        }
    }

    private static func runOnce(atMost seconds: TimeInterval) -> CFRunLoopRunResult {
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, seconds, true)
    }

    private func onThreadOfItsOwn(
        _ observe: @escaping @Sendable (Descriptor, Source) -> [Observation]
    ) async -> [Observation] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let descriptor = Descriptor()
                let source = Source(descriptor)
                source.add()
                let observations = observe(descriptor, source)
                source.remove()
                continuation.resume(returning: observations)
            }
        }
    }

    /// An eventfd that an epoll descriptor watches, as in the network thread.
    final class Descriptor {
        let epoll = epoll_create1(0)
        private let event = eventfd(0, CInt(EFD_NONBLOCK))

        init() { _ = bluebonnet_epoll_control(epoll, EPOLL_CTL_ADD, event, EPOLLIN.rawValue, 0) }

        func write() { _ = eventfd_write(event, 1) }

        func drain() {
            var count: eventfd_t = 0
            _ = eventfd_read(event, &count)
            var events = [epoll_event](repeating: epoll_event(), count: 8)
            while epoll_wait(epoll, &events, 8, 0) > 0 {}
        }

        deinit {
            close(event)
            close(epoll)
        }
    }

    /// A version-1 source whose port is that descriptor. The source counts its calls and drains nothing itself.
    final class Source {
        private let descriptor: Descriptor
        private var callCount = 0
        private var source: CFRunLoopSource?

        init(_ descriptor: Descriptor) { self.descriptor = descriptor }

        func drain() { descriptor.drain() }

        func removeCallCount() -> Int {
            defer { callCount = 0 }
            return callCount
        }

        func add() {
            var context = CFRunLoopSourceContext1()
            context.version = 1
            context.info = Unmanaged.passUnretained(self).toOpaque()
            context.getPort = { Unmanaged<Source>.fromOpaque($0!).takeUnretainedValue().descriptor.epoll }
            context.perform = { Unmanaged<Source>.fromOpaque($0!).takeUnretainedValue().callCount += 1 }
            source = withUnsafeMutablePointer(to: &context) { pointer in
                pointer.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) {
                    CFRunLoopSourceCreate(nil, 0, $0)
                }
            }
            CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode)
        }

        func remove() {
            CFRunLoopSourceInvalidate(source)
        }
    }
}
