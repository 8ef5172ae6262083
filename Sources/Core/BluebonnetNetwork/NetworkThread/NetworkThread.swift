// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CExit
internal import CLinux
internal import CoreFoundation
public import Foundation
internal import Glibc
internal import Synchronization

/// The single thread of the process that runs all transfers, with its run loop.
///
/// The thread starts on first use and lives as long as the process. It runs no user code except blocks, timers and
/// sources passed to `perform(_:)`. A block that blocks the thread delays every transfer.
public final class NetworkThread: Sendable {
    /// The network thread.
    public static let shared = NetworkThread()

    private static let currentThread = Atomic<UInt>(0)

    private let inbox: Inbox
    private let bound: NetworkBound<EventLoop>

    private init() {
        inbox = Inbox()
        bound = NetworkBound(EventLoop(inbox: inbox))
        let thread = Thread { [bound] in NetworkThread.run(bound) }
        thread.start()
    }

    /// Runs `block` on the network thread, after all work submitted before. The block receives the thread's run loop
    /// and can add a timer or a source to it.
    ///
    /// May be called from any thread. The block must not block.
    public func perform(_ block: @escaping @Sendable (RunLoop) -> Void) {
        submit { block(RunLoop.current) }
    }

    /// Whether the calling thread is the network thread.
    public static var isCurrent: Bool {
        currentThread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Runs work on the network thread, in the order of submission.
    ///
    /// - Parameter file: the source that the record of a long turn names.
    package func submit(_ work: @escaping @Sendable () -> Void, from file: StaticString = #fileID) {
        guard Self.recordsTurns else { return inbox.submit(work) }
        inbox.submit { [bound] in
            bound.value.stepBegins("work", .file(file))
            work()
        }
    }

    /// Returns the result of a closure that runs on the network thread. The calling task is suspended meanwhile and
    /// blocks no thread.
    package func answer<Value: Sendable>(_ question: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { waiter in submit { waiter.resume(returning: question()) } }
    }

    /// The event loop; network thread only.
    package var eventLoop: EventLoop { bound.value }

    @usableFromInline
    package static func preconditionIsCurrent() {
        precondition(isCurrent, "this runs on the network thread only")
    }
}

// MARK: - The thread's main function

extension NetworkThread {
    private static func run(_ bound: NetworkBound<EventLoop>) -> Never {
        currentThread.store(UInt(pthread_self()), ordering: .relaxed)
        Thread.current.name = "org.bluebonnet.network"
        bluebonnet_set_thread_name("org.bluebonnet")  // the kernel keeps 15 characters; Foundation does not set it
        blockSignals()
        let loop = bound.value
        addSource(for: loop)
        runTurn(of: loop)  // runs the work submitted before the source existed
        while true {
            // The run loop has a source that is never removed, so it returns only if it is stopped.
            CFRunLoopRunInMode(kCFRunLoopDefaultMode, .greatestFiniteMagnitude, false)
        }
    }

    /// Runs a turn as a use of OpenSSL. Nearly all of a turn may be spent in libcurl and OpenSSL.
    private static func runTurn(of loop: EventLoop) {
        bluebonnet_openssl_use_begins()
        recordTurn(of: loop)
        bluebonnet_openssl_use_ends()
    }

    /// Blocks two signals. A closed connection (SIGPIPE) or a file-size limit (SIGXFSZ) must not kill the process.
    /// Both signals are sent to the writing thread. While the signal is blocked, the write returns EPIPE or EFBIG.
    private static func blockSignals() {
        bluebonnet_block_signal(SIGPIPE)
        bluebonnet_block_signal(SIGXFSZ)
    }

    /// Makes the epoll descriptor the port of a version-1 source. The context is passed rebound to version 0, as the
    /// header requires.
    private static func addSource(for loop: EventLoop) {
        var context = CFRunLoopSourceContext1()
        context.version = 1
        context.info = Unmanaged.passRetained(loop).toOpaque()  // retained for the life of the process
        context.getPort = { Unmanaged<EventLoop>.fromOpaque($0!).takeUnretainedValue().epoll }
        context.perform = {
            let loop = Unmanaged<EventLoop>.fromOpaque($0!).takeUnretainedValue()
            NetworkThread.runTurn(of: loop)
        }
        withUnsafeMutablePointer(to: &context) { pointer in
            pointer.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) { rebound in
                let source = CFRunLoopSourceCreate(nil, 0, rebound)
                CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopCommonModes)
            }
        }
    }
}
