// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetMonitors
import Testing

@Suite struct ShownTextTests {
    @Test func userInformationAndFragmentAreHidden() {
        #expect(ShownText.url("https://ada:pw@h.test/a?b=c#d") == "https://REDACTED@h.test/a?b=c")
        #expect(ShownText.url("https://h.test/a?b=c") == "https://h.test/a?b=c")
    }

    /// The names that OpenTelemetry's conventions ask for, and the library's own.
    @Test(arguments: [
        "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "AWSAccessKeyId", "Signature", "sig",
        "X-Goog-Signature", "access_token", "client_secret", "api_key", "password", "code",
    ])
    func valuesOfSecretParametersAreHidden(name: String) {
        let shown = ShownText.url("https://h.test/a?x=1&\(name)=s3cr3t&y=2")
        #expect(shown == "https://h.test/a?x=1&\(name)=REDACTED&y=2")
    }

    @Test func textThatIsNoURLIsHidden() {
        #expect(!ShownText.url("https://h.test:port/?token=s3cr3t").contains("s3cr3t"))
        #expect(!ShownText.url("\u{1}token=s3cr3t").contains("s3cr3t"))
    }
}
