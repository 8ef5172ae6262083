// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct CurlVersionTests {
    @Test func versionsAreOrderedByTheirNumbers() {
        let versions = [CurlVersion(7, 81), CurlVersion(7, 88, 1), CurlVersion(8, 1), CurlVersion(8, 14, 1)]
        #expect(versions.sorted() == versions)
        #expect(CurlVersion(number: 0x08_0E_01) == CurlVersion(8, 14, 1))
        #expect(CurlVersion(8, 14, 1).description == "8.14.1")
    }

    @Test func errorForOldLibraryNamesTheRequiredVersion() throws {
        let text = try #require(CurlVersion(7, 87).obstacle)
        #expect(text.contains("libcurl 7.87.0") && text.contains("libcurl 7.88.0 or later"))
        #expect(CurlVersion(7, 88).obstacle == nil)
        #expect(CurlVersion(9, 0).obstacle == nil)
    }

    @Test func quirkCoversVersionsBeforeItsFix() {
        let versions = Range<CurlVersion>.before(8, 1)
        #expect(versions.contains(CurlVersion(7, 88, 1)) && versions.contains(CurlVersion(8, 0, 1)))
        #expect(!versions.contains(CurlVersion(8, 1)))
        #expect(Range<CurlVersion>.all.contains(CurlVersion(8, 23)))
    }

    @Test func featuresReportTheCurrentVersion() {
        let features = TransferFeatures.current
        #expect(features.libcurlVersion == CurlVersion.current.description)
        #expect(features.supportsHTTP2)
    }
}
