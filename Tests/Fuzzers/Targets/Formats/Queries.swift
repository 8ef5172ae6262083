// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation

extension FuzzTarget {
    /// Parameters, given as JSON, as a query, as JSON and as a property list.
    static let queries = FuzzTarget("queries") { input in
        guard case .object(let members)? = try? JSONValue(parsing: Data(input.rest)) else { return }
        let parameters: Parameters = members.mapValues(\.foundationObject)
        if let pairs = try? QueryEncoder().pairs(for: parameters) {
            let query = try QueryEncoder().encode(parameters)
            try checkQuery(query, pairs)
        }
        let text = try JSONWriter.text(of: parameters).string
        try holdSame(try JSONValue(parsing: Data(text.utf8)), rounded(.object(members)), "parameters stay as JSON")
        for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            guard let list = try? PropertyListWriter.data(of: parameters, format: format) else { continue }
            _ = try PropertyListValue(parsing: list)
        }
    }

    private static func checkQuery(_ query: String, _ pairs: [QueryEncoder.Pair]) throws(FuzzFinding) {
        let bare = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/?%=&".utf8)
        try hold(query.utf8.allSatisfy(bare.contains), "\(query) can stand in a URL")
        let read = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            pair.split(separator: "=", omittingEmptySubsequences: false).map {
                String($0).removingPercentEncoding ?? "!"
            }
        }
        let given = pairs.map { [$0.name] + [$0.value].compactMap(\.self) }
        // A name that is empty and has no value is nothing in a query.
        let isSomething = { (pair: [String]) in pair != [""] }
        try holdSame(read.filter(isSomething), given.filter(isSomething), "\(query) is read again")
    }

    /// A number that is whole is written, and read, as a whole one.
    private static func rounded(_ value: JSONValue) -> JSONValue {
        switch value {
        case .number(let number):
            number.magnitude < 1e16 ? Int64(exactly: number).map { .integer($0) } ?? value : value
        case .array(let elements): .array(elements.map(rounded))
        case .object(let members): .object(members.mapValues(rounded))
        case .null, .bool, .integer, .string: value
        }
    }
}
