// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

/// The policy that applies to each host.
@Suite(.timeLimit(.minutes(1))) struct SecurityPolicyTableTests {
    private let exact: SecurityPolicy
    private let wide: SecurityPolicy
    private let wider: SecurityPolicy

    init() throws {
        exact = try SecurityPolicy(authorities: .file("/exact"))
        wide = try SecurityPolicy(authorities: .file("/wide"))
        wider = try SecurityPolicy(authorities: .file("/wider"))
    }

    private func table() throws -> SecurityPolicyTable {
        try SecurityPolicyTable(
            ["api.Example.com": exact, "*.example.com": wide, "*.com": wider, "127.0.0.1": exact, "::1": wide])
    }

    private func policy(_ others: SecurityPolicy) throws -> SecurityPolicy {
        var policy = others
        policy.hosts = try table()
        return policy
    }

    @Test func mostSpecificPatternDecides() throws {
        let table = try table()
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

    @Test func unlistedHostsUseTheFallbackPolicy() throws {
        for host in ["com", "example.org", "api.example.com.org", "127.0.0.2"] {
            #expect(try table().policy(forHost: host) == nil, "\(host)")
            #expect(try policy(.trustingNobody).policy(forHost: host) == nil, "\(host)")
            #expect(try policy(.default).policy(forHost: host) == .default, "\(host)")
        }
    }

    @Test func incomparableHostIsAlwaysRefused() throws {
        for host in ["", ".", "b\u{FC}cher.example", "api%2Eexample.com", "api .example.com", "*.example.com", "a,b"] {
            #expect(try policy(.default).policy(forHost: host) == nil, "\(host)")
        }
    }

    @Test func policyWithoutATableAppliesToEveryHost() throws {
        #expect(exact.policy(forHost: "anything") == exact)
        #expect(exact.refusal(ofHost: "anything") == nil)
        let policy = try policy(.trustingNobody)
        #expect(policy.policy(forHost: "api.example.com") == exact)
        let refusal = policy.refusal(ofHost: "evil.example.org")
        #expect(refusal?.code == .serverNotTrusted)
        #expect(refusal?.message.contains("evil.example.org") == true)
    }

    @Test func policyThatTrustsNobodyRefusesEveryHost() throws {
        #expect(SecurityPolicy.trustingNobody.policy(forHost: "a.com") == nil)
        #expect(SecurityPolicy.trustingNobody.refusal(ofHost: "a.com")?.code == .serverNotTrusted)
        try SecurityPolicy.trustingNobody.validate()
        var table = SecurityPolicy.default
        table.hosts = try SecurityPolicyTable(["b.com": .trustingNobody])
        #expect(table.policy(forHost: "b.com") == nil && table.policy(forHost: "a.com") == .default)
    }

    @Test func contradictoryPolicyInTheTableIsRefused() throws {
        var policy = SecurityPolicy.default
        policy.allowInvalidCertificates = true
        let error = #expect(throws: NetworkingError.self) { try SecurityPolicyTable(["b.com": policy]) }
        #expect(error?.code == .invalidSecurityPolicy)
        #expect(error?.message.hasPrefix("the policy for b.com contradicts itself: accepting invalid") == true)
    }

    @Test(arguments: [
        "", "*", "*.", "a.*.com", "www.*", "b\u{FC}cher.example", "http://h", "h:443/", "*a.com", ".a.com",
    ])
    func textThatIsNotAPatternIsRefused(pattern: String) {
        let error = #expect(throws: NetworkingError.self) {
            try SecurityPolicyTable([pattern: .default])
        }
        #expect(error?.code == .invalidSecurityPolicy)
    }

    @Test func ambiguousOrNestedTableIsRefused() throws {
        let nested = try policy(.default)
        for policies in [["A.com": exact, "a.com.": wide], ["a.com": nested]] {
            let error = #expect(throws: NetworkingError.self) { try SecurityPolicyTable(policies) }
            #expect(error?.code == .invalidSecurityPolicy)
        }
        #expect(try SecurityPolicyTable([:]) == .empty)
    }
}
