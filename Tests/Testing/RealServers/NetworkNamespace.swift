// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import Synchronization

/// A separate network: a network namespace with only a loopback interface, which is down. Root creates the namespace
/// with `ip netns`; `remove()` deletes it.
public struct NetworkNamespace: Sendable {
    /// Whether namespaces can be created here. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "network namespaces", missing: obstacle, remedy: "They run as root, with iproute2 installed.")

    private static let count = Atomic<Int>(0)

    /// The name that `ip netns` uses.
    public let name: String

    /// Creates a namespace.
    public init() throws {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        name = "bluebonnet-\(getpid())-\(number)"
        try Self.run(["ip", "netns", "add", name])
    }

    /// A namespace that another process created.
    public init(named name: String) { self.name = name }

    /// Deletes the namespace. Programs that still run in it keep it until they end.
    public func remove() {
        try? Self.run(["ip", "netns", "del", name])
    }

    /// Runs `ip` in the namespace, with words as in a shell.
    public func ip(_ words: String) throws {
        try Self.run(["ip", "-n", name] + words.split(separator: " ").map(String.init))
    }

    /// The words that run a program in the namespace.
    public func command(_ words: [String]) -> [String] {
        [ChildProcess.find("ip") ?? "ip", "netns", "exec", name] + words
    }

    /// Runs many such commands in a single `ip`, as fast as possible or at a pace.
    ///
    /// - Parameter interval: microseconds between two lines.
    public func batch(_ lines: [String], interval: UInt32 = 0) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw TestServerError("no descriptors for a pipe")
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let outputPath = folder.path("output")
        let child: pid_t
        do {
            defer { close(ends[0]) }
            child = try ChildProcess.spawn(
                ["ip", "-n", name, "-batch", "-"], input: ends[0], outputPath: outputPath)
        }
        for line in lines {
            let bytes = Array((line + "\n").utf8)
            guard send(ends[1], bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { break }
            if interval > 0 { usleep(interval) }
        }
        close(ends[1])
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        guard status == 0 else { throw TestServerError("ip -batch failed:\n\(ChildProcess.contents(of: outputPath))") }
    }

    /// Whether `ip route get` finds a route to an address.
    public func hasRoute(to address: String) -> Bool {
        (try? ip("route get \(address)")) != nil
    }

    /// Connects this namespace and another one by a cable between two interfaces, both down.
    public func connect(_ interface: String, to other: NetworkNamespace, _ otherInterface: String) throws {
        try ip("link add \(interface) type veth peer name \(otherInterface) netns \(other.name)")
    }

    /// Runs `body` with the calling thread in the namespace. Threads that `body` starts are in the namespace and stay
    /// there.
    public func inside<Result>(_ body: () throws -> Result) throws -> Result {
        let home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        let there = open("/run/netns/\(name)", O_RDONLY | O_CLOEXEC)
        defer {
            close(home)
            close(there)
        }
        try Self.enter(there)
        defer { try? Self.enter(home) }
        return try body()
    }

    /// Moves the calling thread into the namespace for good.
    func stay() throws {
        let there = open("/run/netns/\(name)", O_RDONLY | O_CLOEXEC)
        defer { close(there) }
        try Self.enter(there)
    }

    /// Runs `nft` in the namespace, with one line of nft's language.
    public func nft(_ line: String) throws {
        try Self.run(command(["nft", line]))
    }

    // Glibc's module does not export `setns`.
    private static func enter(_ descriptor: Int32) throws {
        typealias Function = @convention(c) (Int32, Int32) -> Int32
        guard let symbol = dlsym(nil, "setns") else { throw TestServerError("there is no setns") }
        guard unsafeBitCast(symbol, to: Function.self)(descriptor, 0) == 0 else {
            throw TestServerError("setns failed: \(String(cString: strerror(errno)))")
        }
    }

    private static func run(_ arguments: [String]) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try ChildProcess.run(arguments, in: folder)
    }

    private static var obstacle: String? {
        if ChildProcess.find("ip") == nil { return "iproute2 is not installed" }
        if geteuid() != 0 { return "this user is not root" }
        do {
            try NetworkNamespace().remove()
            return nil
        } catch {
            return "\(error)".split(separator: "\n").joined(separator: " ")
        }
    }
}
