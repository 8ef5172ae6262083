// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite struct FieldScannerTests {
    private func repeatedField(_ text: String) -> String? {
        FieldScanner.repeatedField(in: ArraySlice(text.utf8))?.description
    }

    @Test(arguments: [
        (#"{"a":1,"a":1}"#, "a"), (#"{"a":1,"\u0061":2}"#, "a"), (#"[{"b":{"c":0,"d":0,"c":0}}]"#, "[0].b.c"),
        (#"{"":1,"":2}"#, ""), (#"{"a":{"x":1},"b":{"x":1,"x":2}}"#, "b.x"),
        (#"{"a":[[],{},{"b":[1],"b":0}]}"#, "a[2].b"),
        (#"{"a":{},"b":1, "a" : 2}"#, "a"), (#"{"\"":1,"\\":2,"\"":3}"#, "\""), (#"{"é":1,"\u00e9":1}"#, "é"),
        (#"{"a":"{\"x\":1,\"x\":2}","a":0}"#, "a"),
    ])
    func repeatedNameIsFoundAtAnyDepth(_ text: String, _ field: String) {
        #expect(repeatedField(text) == field)
    }

    @Test(arguments: [
        "{}", "[]", "1", #""a""#, #"{"a":{"a":{"a":"a"}},"b":[{"a":1},{"a":1}]}"#, #"{"a":"a","b":"a","A":"b"}"#,
        #"["a","a",{"a":["a","a"]}]"#, #"{"a":"\",\"a\":1","b":"\\","c":"}{]["}"#, #" { "a" : 1 , "b" : [ ] } "#,
    ])
    func nameInDifferentObjectsIsNoDuplicate(_ text: String) {
        #expect(repeatedField(text) == nil)
    }

    @Test(arguments: [
        ("", ""), (#"{"a""#, "a"), (#"{"a":1"#, "a"), (#"{"a":1,"#, ""), (#"{"a":1,"b"#, ""), (#"{"a":[{},"#, "a[1]"),
        (#"{"a":[{}]"#, "a"), (#"{"a":[{"b":"x\"#, "a[0].b"), (#"{"a":1}"#, ""), ("[", "[0]"), ("}]", ""),
    ])
    func fieldOfTheNextValueIsKnown(_ text: String, _ field: String) {
        #expect(FieldScanner.field(after: ArraySlice(text.utf8)).description == field)
    }

    @Test func deepNestingIsWalkedWithoutRecursion() {
        let depth = 200_000
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(repeatedField(text) == nil)
    }
}
