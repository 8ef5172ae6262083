// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

/// Ports for servers that run as separate programs.
@Suite struct LoopbackPortTests {
    @Test func portIsNeverGivenTwice() throws {
        let ports = try (0..<500).map { _ in try LoopbackPort.unused() }
        #expect(Set(ports).count == ports.count)
    }

    @Test(.enabled(if: firstOfTheSystem == 32_768, "the system gives out other ports than Linux does untold"))
    func portIsOutsideTheSystemsEphemeralRange() throws {
        let ports = try (0..<500).map { _ in try LoopbackPort.unused() }
        #expect(ports.allSatisfy { $0 < Self.firstOfTheSystem })
    }

    private static let firstOfTheSystem: Int = {
        let range = try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
        return range?.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) } ?? 0
    }()
}
