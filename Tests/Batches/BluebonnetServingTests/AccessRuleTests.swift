// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetServing

@Suite struct AccessRuleTests {
    private static func request(host: String = "127.0.0.1", _ authorization: String? = nil) -> ServedRequest {
        ServedRequest(method: .get, path: "/", query: [:], host: host, authorization: authorization, isLast: false)
    }

    @Test(arguments: [
        ("localhost", true), ("localhost:8080", true), ("127.0.0.1", true), ("127.0.0.1:80", true), ("[::1]", true),
        ("[::1]:8080", true), ("192.168.1.7:80", true), ("evil.example", false), ("evil.example:8080", false),
        ("localhost.evil.example", false), ("127.0.0.1.evil.example", false), ("", false), (":8080", false),
        ("::1", false), ("[::1]x", false), ("127.0.0.1:80x", false), ("localhost@evil.example", false),
        ("0x7f000001", false), ("2130706433", false), ("127.1", false),
    ]) func hostMustNotBeAForeignName(host: String, isAllowed: Bool) {
        #expect(AccessRule().verdict(on: Self.request(host: host)) == (isAllowed ? .allowed : .foreignHost))
    }

    private static let token = "0123456789abcdef"

    @Test(arguments: [
        ("Bearer 0123456789abcdef", true), ("bearer  0123456789abcdef", true), ("Bearer 0123456789abcdeg", false),
        ("Bearer 0123456789abcde", false), ("Bearer 0123456789abcdef0123456789abcdef", false), ("Bearer ", false),
        ("Bearer", false), ("", false), ("0123456789abcdef", false), ("Digest 0123456789abcdef", false),
        ("Basic " + Data("any:0123456789abcdef".utf8).base64EncodedString(), true),
        ("Basic " + Data(":0123456789abcdef".utf8).base64EncodedString(), true),
        ("Basic " + Data("0123456789abcdef".utf8).base64EncodedString(), false),
        ("Basic " + Data("0123456789abcdef:".utf8).base64EncodedString(), false), ("Basic ***", false),
    ]) func tokenIsRequired(authorization: String, isAllowed: Bool) {
        let rule = AccessRule(token: Self.token)
        #expect(rule.verdict(on: Self.request(authorization)) == (isAllowed ? .allowed : .unauthorized))
        #expect(rule.verdict(on: Self.request(host: "any.example", authorization)) != .foreignHost)
    }

    @Test func missingTokenIsUnauthorized() {
        #expect(AccessRule(token: Self.token).verdict(on: Self.request()) == .unauthorized)
    }

    @Test(arguments: [
        ("", "", false), ("", "a", false), ("a", "a", true), ("a", "b", false), ("aa", "a", false),
        ("ab", "abab", false),
        ("abab", "ab", false), ("abc", "abc", true),
    ]) func comparisonIsExact(sent: String, token: String, isEqual: Bool) {
        #expect(AccessRule.isEqual(Array(sent.utf8), Array(token.utf8)) == isEqual)
    }
}

@Suite struct ServingAddressTests {
    @Test(arguments: [
        ("8080", "127.0.0.1:8080", true), ("localhost:80", "127.0.0.1:80", true), ("127.0.0.1:0", "127.0.0.1:0", true),
        ("127.9.9.9:1", "127.9.9.9:1", true), ("[::1]:65535", "[::1]:65535", true), ("0.0.0.0:80", "0.0.0.0:80", false),
        ("[::]:80", "[::]:80", false), ("192.168.1.7:80", "192.168.1.7:80", false),
        ("[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]:80", false),
    ]) func addressIsRead(text: String, description: String, isLoopback: Bool) throws {
        let address = try #require(ServingAddress(text))
        #expect(address.description == description)
        #expect(address.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "example.com:80",
        "*:80", "::1:80", "[::1]", "[127.0.0.1]:80", "1:2:3", "http://127.0.0.1:80", "127.0.0.1:80/", "65536", "٣",
    ]) func otherTextIsNoAddress(text: String) {
        #expect(ServingAddress(text) == nil)
    }
}
