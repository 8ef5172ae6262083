// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct MessageDigestTests {
    /// RFC 1321, A.5.
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ])
    func md5MatchesPublishedDigests(text: String, digest: String) {
        #expect(MessageDigest.hexadecimalDigest(of: Data(text.utf8), .md5) == digest)
    }

    /// FIPS 180-2, appendix B, and the digest of no bytes.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func sha256MatchesPublishedDigests(text: String, digest: String) {
        #expect(MessageDigest.hexadecimalDigest(of: Data(text.utf8)) == digest)
    }

    @Test func piecewiseDigestIsTheDigestOfTheWhole() {
        let digest = MessageDigest(.sha256)
        for piece in ["a", "", "b", "c"] { Data(piece.utf8).withUnsafeBytes { digest.update($0) } }
        #expect(digest.finish() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
