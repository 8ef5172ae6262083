// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

/// Which policy is for which host.
@Suite(.timeLimit(.minutes(1))) struct SecurityPolicyTableTests {
    private let exact: SecurityPolicy
    private let wide: SecurityPolicy
    private let wider: SecurityPolicy

    init() throws {
        exact = try SecurityPolicy(certificateAuthorityFile: "/exact")
        wide = try SecurityPolicy(certificateAuthorityFile: "/wide")
        wider = try SecurityPolicy(certificateAuthorityFile: "/wider")
    }

    private func table(_ others: SecurityPolicyTable.OtherHosts) throws -> SecurityPolicyTable {
        try SecurityPolicyTable(
            ["api.Example.com": exact, "*.example.com": wide, "*.com": wider, "127.0.0.1": exact, "::1": wide],
            otherHosts: others)
    }

    @Test func theMostExactPatternDecides() throws {
        let table = try table(.refuse)
        for host in ["api.example.com", "API.EXAMPLE.COM", "api.example.com.", "127.0.0.1"] {
            #expect(table.policy(forHost: host) == exact, "\(host)")
        }
        for host in ["www.example.com", "a.b.example.com", "api.example.com.example.com", "::1", "[::1]"] {
            #expect(table.policy(forHost: host) == wide, "\(host)")
        }
        for host in ["example.com", "notexample.com", "a.com"] {
            #expect(table.policy(forHost: host) == wider, "\(host)")
        }
    }

    @Test func unlistedHostsAreRefusedOrFallBackAsTheUserSays() throws {
        for host in ["com", "example.org", "api.example.com.org", "127.0.0.2"] {
            #expect(try table(.refuse).policy(forHost: host) == nil, "\(host)")
            #expect(try table(.use(.default)).policy(forHost: host) == .default, "\(host)")
        }
    }

    @Test func aHostThatCannotBeComparedIsRefusedWhateverTheFallback() throws {
        for host in ["", ".", "b\u{FC}cher.example", "api%2Eexample.com", "api .example.com", "*.example.com", "a,b"] {
            #expect(try table(.use(.default)).policy(forHost: host) == nil, "\(host)")
        }
    }

    @Test func aPolicyWithoutATableIsForEveryHost() throws {
        #expect(exact.policy(forHost: "anything") == exact)
        #expect(exact.refusal(ofHost: "anything") == nil)
        let policy = SecurityPolicy(table: try table(.refuse))
        #expect(policy.policy(forHost: "api.example.com") == exact)
        let refusal = policy.refusal(ofHost: "evil.example.org")
        #expect(refusal?.code == .serverNotTrusted)
        #expect(refusal?.message.contains("evil.example.org") == true)
        #expect(Set(policy.authorityFiles) == ["/exact", "/wide", "/wider"])
    }

    @Test(arguments: [
        "", "*", "*.", "a.*.com", "www.*", "b\u{FC}cher.example", "http://h", "h:443/", "*a.com", ".a.com",
    ])
    func textThatIsNoPatternIsRefused(pattern: String) {
        let error = #expect(throws: NetworkingError.self) {
            try SecurityPolicyTable([pattern: .default], otherHosts: .refuse)
        }
        #expect(error?.code == .invalidSecurityPolicy)
    }

    @Test func aTableIsNeitherEmptyNorAmbiguousNorNested() throws {
        let nested = SecurityPolicy(table: try table(.refuse))
        for policies in [[:], ["A.com": exact, "a.com.": wide], ["a.com": nested]] {
            let error = #expect(throws: NetworkingError.self) {
                try SecurityPolicyTable(policies, otherHosts: .refuse)
            }
            #expect(error?.code == .invalidSecurityPolicy)
        }
        #expect(throws: NetworkingError.self) { try SecurityPolicyTable(["a.com": exact], otherHosts: .use(nested)) }
    }
}
