// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

/// The behaviours of http-tests/cache-tests, for a private cache.
@Suite struct CacheBehaviourTests {
    static let cases = CacheBehaviourCase.freshness + CacheBehaviourCase.storing + CacheBehaviourCase.updates

    /// Cases that a correct private cache does not pass, with the reason.
    static let deviations: [String: String] = [
        "partial-store-partial-reuse-partial": "the origin sends fewer bytes than its Content-Range says",
        "partial-store-partial-reuse-partial-absent": "the origin sends fewer bytes than its Content-Range says",
        "partial-store-partial-reuse-partial-suffix": "the origin sends fewer bytes than its Content-Range says",
        "partial-store-partial-complete": "without a strong validator parts must not be combined (RFC 9111, 3.4)",
        "304-etag-update-response-ETag": "a 304 with another strong tag updates no response (RFC 9111, 4.3.4)",
        "304-etag-update-response-Content-Encoding": "the stored bytes have the coding of the first response",
        "304-etag-update-response-Content-Range": "a range is not a field of the whole",
    ]

    @Test(arguments: cases.filter { deviations[$0.id] == nil })
    func cacheBehaves(_ behaviour: CacheBehaviourCase) {
        #expect(behaviour.failure() == nil)
    }

    @Test func deviationsAreReal() {
        for behaviour in Self.cases where Self.deviations[behaviour.id] != nil {
            #expect(behaviour.failure() != nil, "\(behaviour.id) passes")
        }
    }

    @Test func nearlyAllRequiredAndOptimalCasesPass() {
        let passed = Self.cases.filter { $0.failure() == nil }
        let required = (Self.cases.filter { $0.kind == .required }, passed.filter { $0.kind == .required })
        let optimal = (Self.cases.filter { $0.kind == .optimal }, passed.filter { $0.kind == .optimal })
        #expect(required.0.count - required.1.count <= 1)
        #expect(optimal.0.count - optimal.1.count <= 4)
    }
}
