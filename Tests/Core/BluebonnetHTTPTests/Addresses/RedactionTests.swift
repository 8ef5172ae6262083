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
    func urlRedactionRemovesUserInfoFragmentAndSecrets(url: String, shown: String) {
        #expect(Redaction.url(url) == shown)
    }

    /// Malformed URLs in which the author meant to write a password.
    static let mistaken = [
        "http:/user:s3cret@h/", "http:user:s3cret@h/", "http:\\\\user:s3cret@h/", "user:s3cret@h", "1user:s3cret@h/p",
        "http://user:s3/cret@h/", "http://user:s3?cret@h/", "http://user:s3#cret@h/", "http:///user:s3cret@h/",
        "ftp://user:s3/cret@h/", "\\\\user:s3cret@h", "HTTP:/user:s3cret@h?x=a@b", "http://user:99999/s3cret@h/",
        "://user:s3cret@h",
    ]

    @Test(arguments: mistaken) func malformedURLIsRedactedUpToAtSign(text: String) {
        for shown in [Redaction.url(text), URLText.withoutUserInfo(text)] {
            #expect(!shown.contains("s3") && !shown.contains("cret") && !shown.contains("user"), "\(shown)")
            #expect(shown.contains("REDACTED@"), "\(shown)")
        }
    }

    @Test(arguments: mistaken) func refusalOfMalformedURLHidesPassword(text: String) {
        let error = #expect(throws: NetworkingError.self) { try RequestCheck.url(text) }
        let message = error.map { "\($0)" } ?? ""
        #expect(!message.contains("s3") && !message.contains("cret"), "\(message)")
    }

    @Test(arguments: [
        "http://h/@user", "/@user", "users/a@b", "?mail=a@b", "http://h:80/a@b?c=d@e", "//h/a@b", "a/b:c@d",
    ])
    func atSignInPathOrQueryIsNotUserInfo(text: String) {
        #expect(URLText.withoutUserInfo(text) == text)
    }

    @Test(arguments: [
        ("password=geheim", "password=REDACTED"), ("a password: geheim.", "a password: REDACTED"),
        ("token:'geheim' x", "token:'REDACTED' x"), ("\"api_key\" : \"geheim\"}", "\"api_key\" : \"REDACTED\"}"),
        ("Authorization: Bearer geheim, x", "Authorization: REDACTED, x"), ("a=password=geheim", "a=password=REDACTED"),
        ("secret=a&b=c", "secret=REDACTED&b=c"), ("tökentoken=geheim", "tökentoken=REDACTED"),
        ("password", "password"), ("password=", "password="), ("password = ", "password = "),
        ("password: Bearer", "password: REDACTED"),
        ("nothing hidden: a=b; c:d", "nothing hidden: a=b; c:d"), ("", ""), ("=:'\"", "=:'\""),
    ])
    func secretValuesInTextAreRedacted(text: String, shown: String) {
        #expect(Redaction.text(text) == shown)
    }

    @Test(arguments: [
        ("Authorization", "Bearer s3cret", "REDACTED"), ("Set-Cookie", "sid=s3cret; Path=/", "REDACTED"),
        ("proxy-authorization", "Basic s3cret", "REDACTED"), ("X-Api-Key", "s3cret", "REDACTED"),
        ("Authentication-Info", "nextnonce=\"s3cret\"", "REDACTED"), ("Cookie", "", ""),
        ("Location", "/a?token=s3cret", "/a?token=REDACTED"), ("X-Debug", "password=s3cret", "password=REDACTED"),
        ("link", "<https://h/a?token=s3cret>; rel=next", "<https://h/a?token=REDACTED"),
        ("Accept", "text/plain; q=0.5", "text/plain; q=0.5"),
    ])
    func valuesOfFieldsAreShownWithoutSecrets(name: String, value: String, shown: String) {
        #expect(Redaction.value(value, ofField: name) == shown)
    }
}
