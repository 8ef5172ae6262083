// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Foundation

/// A value of `--resolve`: the address of a host for one port.
struct CurlResolve {
    private let item: CurlArguments.Item
    private let host: String
    private let port: String
    private let address: String

    init(_ item: CurlArguments.Item) throws(ConversionError) {
        let text = item.value.hasPrefix("+") ? item.value.dropFirst() : item.value[...]
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }), !text.hasPrefix("-") else {
            throw item.error("expected HOST:PORT:ADDRESS")
        }
        guard parts[0] != "*", !parts[2].contains(",") else {
            throw item.error("a line has one address for one host")
        }
        self.item = item
        (host, port, address) = (parts[0], parts[1], parts[2])
    }

    /// Adds the address to a line. The address of a line is for every port, so another port than the URL's is an error.
    func apply(to line: inout RequestLine) throws(ConversionError) {
        let url = URLText(line.url)
        let usual = url.scheme?.lowercased() == "https" ? "443" : "80"
        let used = url.port.map { $0.isEmpty ? usual : String($0) } ?? usual
        guard port == used else { throw item.error("the URL has the port \(used)") }
        line.resolve[host] = address
    }
}
