// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

// Certificates whose names are unusual.
extension TestCertificate {
    /// Has a name with a NUL after "good.example".
    public static let nulInName = TestCertificate("nul-in-name") {
        $0.alternativeNames = []
        $0.extensions["subjectAltName"] = names(["good.example\0.evil.example"])
    }
    /// Valid for bücher.example, in the form of internationalized names in certificates (RFC 5280, 7.2).
    public static let internationalName = TestCertificate("international-name") {
        $0.alternativeNames = ["DNS:xn--bcher-kva.example"]
    }
    /// Has a name in UTF-8, which certificates do not allow.
    public static let nameInUTF8 = TestCertificate("name-in-utf8") {
        $0.alternativeNames = []
        $0.extensions["subjectAltName"] = names(["bücher.example"])
    }
    /// Valid for "n0000.t" to "n9999.t".
    public static let tenThousandNames = TestCertificate("ten-thousand-names") {
        $0.alternativeNames = []
        $0.extensions["subjectAltName"] = names(
            (0..<10_000).map { "n" + String(repeating: "0", count: 4 - "\($0)".count) + "\($0).t" })
    }
    /// Valid for `many-N.example.test`, N from 0 to 9999: a message longer than OpenSSL accepts.
    public static let tenThousandLongNames = TestCertificate("ten-thousand-long-names") {
        $0.alternativeNames = []
        $0.extensions["subjectAltName"] = names((0..<10_000).map { "many-\($0).example.test" })
    }
    /// Has names with asterisks that are not valid wildcards (RFC 9525, 6.3).
    public static let wrongWildcards = TestCertificate("wrong-wildcards") {
        $0.alternativeNames = [
            "DNS:*", "DNS:*.", "DNS:*.*.example.test", "DNS:a.*.example.test", "DNS:f*.example.test",
            "DNS:*f.example.test", "DNS:f*g.example.test", "DNS:**.example.test", "DNS:xn--*.example.test",
        ]
    }

    /// Returns the bytes of a subjectAltName extension with names that `openssl` would not write. dNSName is choice
    /// number 2 (RFC 5280, 4.2.1.6).
    private static func names(_ names: [String]) -> String {
        let content = names.reduce(into: Data()) { $0.append(DERElement(0x82, Data($1.utf8)).bytes) }
        let bytes = DERElement(0x30, content).bytes
        return "DER:" + bytes.map { String(format: "%02x", $0) }.joined(separator: ":")
    }
}
