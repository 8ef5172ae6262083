// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestServer
import Testing

/// The ports on which servers that are programs of their own are started.
@Suite struct LoopbackPortTests {
    @Test func noPortIsGivenTwiceAndNoneThatTheSystemGivesOut() throws {
        let range = try String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
        let first = try #require(range.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) })
        let ports = try (0..<500).map { _ in try LoopbackPort.unused() }
        #expect(Set(ports).count == ports.count)
        #expect(ports.allSatisfy { $0 < max(first, 32_000) })
    }
}
