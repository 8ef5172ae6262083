// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct MultipartContentTypeTests {
    @Test(arguments: [
        ("multipart/form-data", "multipart/form-data; boundary=B"),
        ("MULTIPART/X-Y.z+w", "MULTIPART/X-Y.z+w; boundary=B"), (" multipart/a\t", "multipart/a; boundary=B"),
        ("multipart/a;", "multipart/a; boundary=B"), ("multipart/a; ;;b=c", "multipart/a; b=c; boundary=B"),
        ("multipart/a; boundary=x", "multipart/a; boundary=B"),
        ("multipart/a;Boundary=x;b=c", "multipart/a; b=c; boundary=B"),
        ("multipart/a; boundary=x; boundary=\"y\"", "multipart/a; boundary=B"),
        ("multipart/a; boundary = x", "multipart/a; boundary=B"), ("multipart/a; boundary", "multipart/a; boundary=B"),
        ("multipart/a; b=\"; boundary=x\"", "multipart/a; b=\"; boundary=x\"; boundary=B"),
        ("multipart/a; b=\"\\\"; boundary=x\"", "multipart/a; b=\"\\\"; boundary=x\"; boundary=B"),
        ("multipart/a; b=\"\\\\\"; boundary=x", "multipart/a; b=\"\\\\\"; boundary=B"),
        ("multipart/a; xboundary=x; boundaryx=y", "multipart/a; xboundary=x; boundaryx=y; boundary=B"),
        ("multipart/a; b=é", "multipart/a; b=é; boundary=B"),
    ])
    func boundaryReplacesAnyOtherAndComesLast(value: String, expected: String) {
        #expect(MultipartContentType.text(value, boundary: "B") == expected)
    }

    @Test(arguments: [
        "", ";", "multipart", "multipart/", "/form-data", "multipart/a/b", "multipart/a b", "multipart /a",
        "multipart/*/x", "text/multipart", "application/json; x=multipart/form-data", "\"multipart/a\"", "multipart/é",
    ])
    func valueOfAnotherTypeHasNoMultipartType(value: String) {
        #expect(MultipartContentType.text(value, boundary: "B") == nil)
    }

    @Test(arguments: [
        "multipart/a; b=\"c", "multipart/a; b=\"", "multipart/a; b=\"c\\\"", "multipart/a; b=\"c\"; d=\"; e=f",
        "multipart/a; b=\"c\\", "multipart/a; boundary=\"x", "multipart/a\"",
    ])
    func unclosedQuoteHasNoMultipartType(value: String) {
        #expect(MultipartContentType.text(value, boundary: "B") == nil)
    }
}
