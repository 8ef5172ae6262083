// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct ArchivedOptionsTests {
    @Test(arguments: [true, false])
    func archiveKeepsTheDotSegmentOption(keeps: Bool) throws {
        let options = TransferOptions { $0.keepsDotSegments = keeps }
        let data = try JSONEncoder().encode(ArchivedOptions(options))
        #expect(try JSONDecoder().decode(ArchivedOptions.self, from: data).options().keepsDotSegments == keeps)
    }

    @Test func archiveKeepsTheRetryPolicy() throws {
        var policy = RetryPolicy.standard
        (policy.maximumAttemptCount, policy.maximumTime, policy.statusCodes) = (7, nil, [418])
        for policy in [nil, policy] {
            let data = try JSONEncoder().encode(ArchivedOptions(TransferOptions { $0.retryPolicy = policy }))
            #expect(try JSONDecoder().decode(ArchivedOptions.self, from: data).options().retryPolicy == policy)
        }
    }

    @Test func archiveWithoutTheOptionHasItsDefault() throws {
        let data = try JSONEncoder().encode(ArchivedOptions(TransferOptions { $0.keepsDotSegments = true }))
        let text = String(decoding: data, as: UTF8.self)
        let old = text.replacingOccurrences(of: "\"keepsDotSegments\":true", with: "\"x\":true")
        #expect(old != text)
        let options = try JSONDecoder().decode(ArchivedOptions.self, from: Data(old.utf8)).options()
        #expect(!options.keepsDotSegments)
    }

    @Test func oldArchiveHasNoLimitsOrProxies() throws {
        let options = TransferOptions {
            $0.maximumBytesPerSecond = 5
            $0.lowSpeedLimit = LowSpeedLimit(bytesPerSecond: 5, duration: .seconds(5))
            $0.connectionLimits = ConnectionLimits(maximumUseCount: 5)
            $0.proxyConfiguration = ProxyConfiguration(exceptions: ["h"])
        }
        let data = try JSONEncoder().encode(ArchivedOptions(options))
        var fields = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        for key in ["maximumBytesPerSecond", "lowSpeedLimit", "connectionLimits", "proxyConfiguration"] {
            #expect(fields.removeValue(forKey: key) != nil, "\(key)")
        }
        for key in ["netrc", "netrcMayBeReadByOthers"] { fields[key] = nil }
        let old = try JSONSerialization.data(withJSONObject: fields)
        let decoded = try JSONDecoder().decode(ArchivedOptions.self, from: old).options()
        #expect(decoded.maximumBytesPerSecond == nil && decoded.lowSpeedLimit == nil)
        #expect(decoded.connectionLimits == ConnectionLimits())
        #expect(decoded.proxyConfiguration == nil && decoded.netrc == nil)
    }

    @Test func optionsAreEncodedAndDecoded() throws {
        let options = TransferOptions {
            $0.maximumRedirectCount = 3
            $0.cookieJar = CookieJar()
        }
        let decoded = try JSONDecoder().decode(TransferOptions.self, from: JSONEncoder().encode(options))
        #expect(decoded.maximumRedirectCount == 3)
        #expect(decoded.cookieJar == nil)
    }
}
