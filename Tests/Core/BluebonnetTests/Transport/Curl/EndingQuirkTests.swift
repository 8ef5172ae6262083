// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// How the library handles the results that newer versions of libcurl report. The tests run with every version.
@Suite struct EndingQuirkTests {
    @Test(
        arguments: [
            (true, true, 200, true), (true, true, nil, true), (true, false, nil, true), (true, false, 417, true),
            (true, false, 303, true), (true, false, 204, false), (false, true, nil, false), (false, false, 417, false),
        ] as [(Bool, Bool, Int?, Bool)])
    func failedUploadSpoilsItsHandle(hasBody: Bool, hasFailed: Bool, statusCode: Int?, isSpoiled: Bool) {
        let spoils = { (isPresent: Bool) in
            StuckRewind.spoilsHandle(
                hasBody: hasBody, hasFailed: hasFailed, statusCode: statusCode, isPresent: isPresent)
        }
        #expect(spoils(true) == isSpoiled)
        #expect(!spoils(false))
    }

    @Test(arguments: [
        (LibraryResult.wentAway, false, true, LibraryResult.partial), (.wentAway, true, true, .wentAway),
        (.wentAway, false, false, .wentAway), (.otherError, false, true, .otherError),
        (.success, false, true, .success),
    ])
    func observedEndWithoutRefusalBecomesPartial(
        result: LibraryResult, isRefused: Bool, isObserved: Bool, corrected: LibraryResult
    ) {
        let correct = { (isPresent: Bool) in
            WordlessEnd.corrected(result, isRefused: isRefused, isObserved: isObserved, isPresent: isPresent)
        }
        #expect(correct(true) == corrected)
        #expect(correct(false) == result)
    }

    @Test func missingCloseNoticeIsRecognizedByOpenSSLMessage() {
        let text = "OpenSSL SSL_read: OpenSSL/3.5.9: error:0A000126:SSL routines::unexpected eof while reading, errno 0"
        #expect(MissingCloseNotice.isReported(text))
        #expect(!MissingCloseNotice.isReported("Recv failure: Connection reset by peer"))
    }
}
