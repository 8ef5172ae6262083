// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct RedactionTests {
    @Test(arguments: [
        ("http://h/p", "http://h/p"), ("http://h/p?a=1#f", "http://h/p?a=1"),
        ("http://u:p@h/?api_key=1&x=2", "http://REDACTED@h/?api_key=REDACTED&x=2"),
        ("http://h/?%74oken=1", "http://h/?%74oken=REDACTED"), ("http://h/?token", "http://h/?token"),
        ("http://h/#access_token=1", "http://h/"), ("", ""),
    ])
    func urlLosesUserInformationFragmentAndSecretValues(url: String, shown: String) {
        #expect(Redaction.url(url) == shown)
    }
}
