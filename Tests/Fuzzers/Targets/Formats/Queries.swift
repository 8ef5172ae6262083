// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation

extension FuzzTarget {
    /// Parameters from JSON, encoded as a query, as JSON and as a property list.
    static let queries = FuzzTarget("queries") { input in
        guard case .object(let members)? = try? JSONValue(parsing: Data(input.rest)) else { return }
        // A dictionary keeps only one of two canonically equivalent names.
        guard Set(members.map(\.key)).count == members.count else { return }
        let parameters = Parameters(uniqueKeysWithValues: members.map { ($0.key, $0.value) })
        if let pairs = try? QueryEncoder().pairs(for: parameters) {
            let query = try QueryEncoder().encode(parameters)
            try checkQuery(query, pairs)
        }
        let text = try JSONWriter.text(of: parameters).string
        try holdSame(try JSONValue(parsing: Data(text.utf8)), .object(members), "parameters stay as JSON")
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
        // An empty name without a value leaves no trace in a query.
        let isSomething = { (pair: [String]) in pair != [""] }
        try holdSame(read.filter(isSomething), given.filter(isSomething), "\(query) is read again")
    }
}
