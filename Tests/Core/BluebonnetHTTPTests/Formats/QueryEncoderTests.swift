// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct QueryEncoderTests {
    private func query(_ parameters: Parameters) throws -> String { try QueryEncoder().encode(parameters) }

    @Test func emptyParametersMakeNoQuery() throws {
        #expect(try query([:]) == "")
    }

    @Test func keysAreSortedWithCapitalsFirst() throws {
        #expect(try query(["b": "1", "B": "2", "a": "3", "10": "4", "9": "5"]) == "10=4&9=5&B=2&a=3&b=1")
    }

    @Test func nestedKeysAreSortedToo() throws {
        #expect(try query(["k": ["z": "1", "a": "2"], "j": "3"]) == "j=3&k%5Ba%5D=2&k%5Bz%5D=1")
    }

    @Test func dictionaryKeysAreBracketed() throws {
        let parameters: Parameters = ["user": ["name": ["first": "Ada"]]]
        #expect(try query(parameters) == "user%5Bname%5D%5Bfirst%5D=Ada")
    }

    @Test func arrayRepeatsKeyWithBracketsInOrder() throws {
        #expect(try query(["k": ["b", "a"]]) == "k%5B%5D=b&k%5B%5D=a")
        #expect(try query(["k": [[1, 2], [3]]]) == "k%5B%5D%5B%5D=1&k%5B%5D%5B%5D=2&k%5B%5D%5B%5D=3")
    }

    @Test func arrayOfDictionariesHasBothBrackets() throws {
        #expect(try query(["k": [["a": 1], ["a": 2]]]) == "k%5B%5D%5Ba%5D=1&k%5B%5D%5Ba%5D=2")
    }

    @Test func setRepeatsKeyWithoutBracketsSortedByText() throws {
        #expect(try query(["k": Set(["b", "a", "{"])]) == "k=a&k=b&k=%7B")
        #expect(try query(["k": Set([10, 9, 1])]) == "k=1&k=10&k=9")
    }

    @Test func emptyContainersWriteNothing() throws {
        let parameters: Parameters = ["a": [String](), "b": [String: Int](), "c": Set<Int>(), "d": [[Int]()], "e": 1]
        #expect(try query(parameters) == "e=1")
    }

    @Test func nullWritesKeyWithoutValue() throws {
        #expect(try query(["a": NSNull(), "b": Int?.none, "c": JSONValue.null, "d": ""]) == "a&b&c&d=")
        #expect(try query(["k": ["m": NSNull()]]) == "k%5Bm%5D")
        #expect(try query(["k": [NSNull(), 1] as [any Sendable]]) == "k%5B%5D&k%5B%5D=1")
    }

    @Test(arguments: [
        (" ", "%20"), ("+", "%2B"), ("%", "%25"), ("%20", "%2520"), ("a/b?c", "a/b?c"), ("-._~", "-._~"),
        (":#[]@!$&'()*+,;=", "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
        ("\"<>\\^`{|}", "%22%3C%3E%5C%5E%60%7B%7C%7D"), ("é", "%C3%A9"), ("e\u{301}", "e%CC%81"),
        ("👩‍👩‍👧", "%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"), ("\0\n\u{7F}", "%00%0A%7F"),
    ])
    func reservedAndNonASCIICharactersAreEscapedAsUTF8(text: String, escaped: String) throws {
        #expect(QueryEncoder().percentEscape(text) == escaped)
        #expect(try query(["k": text]) == "k=" + escaped)
        #expect(try query([text: "v"]) == escaped + "=v")
    }

    @Test func longTextIsEscapedCompletely() throws {
        let text = String(repeating: "a😀e\u{301}", count: 5_000)
        let expected = String(repeating: "a%F0%9F%98%80e%CC%81", count: 5_000)
        #expect(QueryEncoder().percentEscape(text) == expected)
    }

    @Test func tenThousandParametersKeepTheirOrder() throws {
        let numbers = (10_000..<20_000).map(String.init)
        let parameters: Parameters = Dictionary(uniqueKeysWithValues: numbers.map { ($0, 1) })
        #expect(try query(parameters) == numbers.map { $0 + "=1" }.joined(separator: "&"))
    }

    @Test func jsonValueIsEncodedLikeAnyContainer() throws {
        let value: JSONValue = .object(["b": .array([.integer(1), .bool(true)]), "a": .string("x"), "c": .number(0.5)])
        #expect(try query(["k": value]) == "k%5Ba%5D=x&k%5Bb%5D%5B%5D=1&k%5Bb%5D%5B%5D=1&k%5Bc%5D=0.5")
    }

    @Test func nonStringKeysAreWrittenAsText() throws {
        let parameters: Parameters = ["k": [2: "b", 1: "a"], "f": [true: "t"]]
        #expect(try query(parameters) == "f%5B1%5D=t&k%5B1%5D=a&k%5B2%5D=b")
    }

    @Test func collidingKeysAreRefused() throws {
        let parameters: Parameters = ["k": [JSONValue.string("1"): "text", JSONValue.integer(1): "number"]]
        let message = "parameter k cannot be encoded: two of its keys are written as \"1\""
        let encodings: [(Parameters) throws -> Void] = [
            { _ = try QueryEncoder().encode($0) }, { _ = try JSONWriter.text(of: $0) },
            { _ = try PropertyListWriter.data(of: $0, format: .xml) },
        ]
        for encode in encodings {
            let error = #expect(throws: NetworkingError.self) { try encode(parameters) }
            #expect(error?.message == message)
        }
    }

    @Test func integerKeysBecomeStringsInJSONAndPropertyLists() throws {
        let value: [AnyHashable: Int] = [1: 10, 2: 20]
        #expect(try JSONWriter.text(of: value).string == #"{"1":10,"2":20}"#)
        let list = try PropertyListValue(parsing: PropertyListWriter.data(of: value, format: .binary))
        #expect(list == .dictionary(["1": .integer(10), "2": .integer(20)]))
    }

    @Test func pairsAreNotEscaped() throws {
        let pairs = try QueryEncoder().pairs(for: ["a b": ["c&": 1], "d": NSNull()])
        #expect(pairs.map(\.name) == ["a b[c&]", "d"])
        #expect(pairs.map(\.value) == ["1", nil])
    }

    @Test func unsupportedParameterErrorHasPath() {
        let parameters: Parameters = ["user": ["roles": ["admin", Date()] as [any Sendable]] as [String: any Sendable]]
        let error = #expect(throws: NetworkingError.self) { try query(parameters) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.hasPrefix("parameter user.roles[1] cannot be encoded: a Date") == true)
    }

    @Test func deeplyNestedParametersAreRefused() throws {
        func nested(_ depth: Int) -> JSONValue {
            (0..<depth).reduce(.integer(1)) { inner, _ in .array([inner]) }
        }
        let brackets = String(repeating: "%5B%5D", count: 511)
        #expect(try query(["k": nested(511)]) == "k\(brackets)=1")
        let error = #expect(throws: NetworkingError.self) { try query(["k": nested(512)]) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("deeper than 512") == true)
    }
}
