// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct CookieFaultTests {
    private static let nameless = CookieFault.Reading(keepsNameless: true, listsSlash: false, ignoresValues: true)

    @Test(arguments: [
        "Set-Cookie: a=1\r\n", "Set-Cookie: a=1; Secure; HttpOnly; Path=/; Max-Age=1\r\n", "Set-Cookie: a\r\n",
        "Set-Cookie: a; secure=1", "Set-Cookie: a=1; path=\"/\"", "Set-Cookie:", "Set-Cookie: ;; =", "a=1",
        "Set-Cookie: a=secure=1; insecure=1; mypath=x",
    ])
    func correctlyReadFieldHasNoFault(line: String) {
        #expect(CookieFault(line: line, by: .oldest) == nil)
    }

    @Test(arguments: ["secure=", "SECURE = 1", "x; secure=true"])
    func secureWithAValueIsSecure(attribute: String) throws {
        let fault = try #require(CookieFault(line: "Set-Cookie: a=1; \(attribute)\r\n", by: .oldest))
        #expect(fault.name == "a" && fault.isSecure && !fault.isHTTPOnly && !fault.hasNoPath && !fault.isUnwanted)
    }

    /// A combining mark forms one character with the byte before it, which is a separator all the same.
    @Test(arguments: ["a=\u{301}; secure=1", "a=1;\u{301}x=y; secure=1", "a=1; secure=\u{301}"])
    func combiningMarkDoesNotHideASeparator(value: String) throws {
        let fault = try #require(CookieFault(line: "Set-Cookie: \(value)", by: .oldest))
        #expect(fault.name == "a" && fault.isSecure)
    }

    @Test func pathWithACombiningMarkAfterItsSlashIsValid() {
        #expect(CookieFault(line: "Set-Cookie: a=1; path=/\u{301}", by: .oldest) == nil)
    }

    @Test func httpOnlyWithAValueIsHTTPOnly() throws {
        #expect(try #require(CookieFault(line: "set-cookie:a=1;httponly=no", by: .oldest)).isHTTPOnly)
    }

    @Test(arguments: ["secure=1", "httponly=1"]) func valueIsNoFaultIfLibcurlReadsIt(attribute: String) {
        let reading = CookieFault.Reading(keepsNameless: true, listsSlash: true, ignoresValues: false)
        #expect(CookieFault(line: "Set-Cookie: a=1; \(attribute)", by: reading) == nil)
    }

    @Test(arguments: ["path=", "Path=x", "path=/x; path="])
    func pathWithoutASlashIsIgnored(attribute: String) throws {
        #expect(try #require(CookieFault(line: "Set-Cookie: a=1; \(attribute)", by: .oldest)).hasNoPath)
    }

    @Test(arguments: ["=1; a=2", "; a=2", " ; ; a=2; path=/"])
    func fieldThatBeginsWithoutANameIsUnwanted(value: String) throws {
        let fault = try #require(CookieFault(line: "Set-Cookie: \(value)", by: .oldest))
        #expect(fault.name == "a" && fault.isUnwanted)
    }

    @Test(arguments: ["=1", " =1; path=/", "=; a=1", "=1; a=2"])
    func cookieWithoutANameIsUnwanted(value: String) throws {
        let fault = try #require(CookieFault(line: "Set-Cookie: \(value)", by: Self.nameless))
        #expect(fault.name.isEmpty && fault.isUnwanted)
    }

    @Test(arguments: ["a", "", " ; a=2", "; a=2"]) func fieldWithoutAnEqualsSignIsNoFault(value: String) {
        #expect(CookieFault(line: "Set-Cookie: \(value)", by: Self.nameless) == nil)
    }

    @Test(arguments: [
        ("http://a.b", "/"), ("http://a.b/", "/"), ("http://a.b/x", "/"), ("http://a.b/x/", "/x"),
        ("http://a.b/x/y?q=/z", "/x"),
    ])
    func defaultPathEndsBeforeTheLastSlash(url: String, path: String) throws {
        #expect(CookieRules.defaultPath(of: try #require(URL(string: url))) == path)
    }
}
