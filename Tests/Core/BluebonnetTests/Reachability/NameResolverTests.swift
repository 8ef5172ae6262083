// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct NameResolverTests {
    private func resolve(_ name: String) async -> (addresses: [IPAddress], thread: String) {
        let found = Observed<(addresses: [IPAddress], thread: String)?>(nil)
        NameResolver.shared.resolve(name) { addresses in
            let thread = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
            found.update { $0 = (addresses, thread) }
        }
        await found.becomes { $0 != nil }
        return found.value ?? ([], "")
    }

    @Test func nameIsLookedUpOnAResolverThread() async {
        let found = await resolve("localhost")
        #expect(found.addresses.contains { ["127.0.0.1", "::1"].contains($0.description) })
        #expect(found.thread == "bluebonnet.dns\n")
    }

    @Test func unknownNameHasNoAddresses() async {
        // RFC 6761, 6.4: this name never exists. The second dot keeps search lists out.
        #expect(await resolve("nowhere.invalid.").addresses == [])
    }

    @Test func manyNamesAreAllLookedUp() async {
        let count = Observed(0)
        for _ in 0..<50 { NameResolver.shared.resolve("127.0.0.1") { _ in count.increment() } }
        await count.becomes(50)
    }
}
