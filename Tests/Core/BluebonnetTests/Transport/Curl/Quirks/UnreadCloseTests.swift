// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetHTTP
@testable import BluebonnetNetwork

@Suite struct UnreadCloseTests {
    /// RFC 9112, 9.3 and RFC 9110, 7.6.1: a case-insensitive list of tokens.
    @Test(arguments: [
        ("close", true), ("x, CLOSE", true), (",,close,", true), ("Close , x", true), ("keep-alive", false),
        ("closed", false), ("x-close", false), ("", false),
    ])
    func closeTokenIsFoundInAList(value: String, isAnnounced: Bool) throws {
        let url = try #require(URL(string: "http://h/"))
        let head = ResponseHead(url: url, statusCode: 200, headers: HeaderFields(["Connection": value]))
        #expect(UnreadClose.announcesClose(head) == isAnnounced)
    }

    @Test func quirkSinceAVersionCoversLaterVersions() {
        let versions = Range<CurlVersion>.since(8, 0)
        #expect(!versions.contains(CurlVersion(7, 88, 1)))
        #expect(versions.contains(CurlVersion(8, 0)) && versions.contains(CurlVersion(8, 23)))
    }
}
