// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetFleet

@Suite struct StoredJSONTests {
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"b"}"#), (#"["é"]"#, #"["\u00e9"]"#), (#"["€"]"#, #"["\u20ac"]"#),
        (#"["😀"]"#, #"["\ud83d\ude00"]"#), (#"["\u0000\n"]"#, #"["\u0000\n"]"#), ("", ""),
    ])
    func nonASCIICharacterIsEscaped(json: String, escaped: String) {
        #expect(StoredJSON.ascii(Data(json.utf8)) == Data(escaped.utf8))
    }
}
