// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

// RFC 9211.
@Suite struct CacheStatusTests {
    @Test func hitHasNoReason() {
        var status = CacheStatus()
        status.isHit = true
        status.forwardReason = .stale
        status.timeToLive = -3
        #expect(status.description == "Bluebonnet; hit; ttl=-3")
    }

    @Test func forwardedRequestHasAllParameters() {
        var status = CacheStatus(cacheName: "My Cache")
        (status.forwardReason, status.forwardStatus) = (.uriMiss, 200)
        (status.isStored, status.isCollapsed, status.timeToLive) = (true, true, 60)
        status.key = "http://a.example/\"x\""
        #expect(
            status.description
                == "\"My Cache\"; fwd=uri-miss; fwd-status=200; stored; collapsed; ttl=60; "
                + "key=\"http://a.example/\\\"x\\\"\"")
    }

    @Test(arguments: CacheStatus.ForwardReason.allReasons)
    func everyStatusIsStructuredField(reason: CacheStatus.ForwardReason) {
        var status = CacheStatus(cacheName: "ü")
        (status.forwardReason, status.key) = (reason, "ü")
        let members = StructuredField.list([status.description])
        #expect(members == [.item(.init(.token("cache"), parameters: ["fwd": .token(reason.rawValue)]))])
    }
}

extension CacheStatus.ForwardReason {
    fileprivate static let allReasons: [Self] = [
        .bypass, .method, .uriMiss, .varyMiss, .miss, .request, .stale, .partial,
    ]
}
