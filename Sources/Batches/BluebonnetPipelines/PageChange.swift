// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet

/// The change that a page makes in the request.
package struct PageChange: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        /// The whole URL, which replaces the first request's and its query.
        case url(String)
        case parameter(Pagination.Parameter, JSONValue)
    }

    package let place: Place
    /// Whether the page has another origin than the first page. Its request gets only the fields and credentials that a
    /// redirect to that origin would get.
    package let hasLeftOrigin: Bool

    package init(place: Place, hasLeftOrigin: Bool) { (self.place, self.hasLeftOrigin) = (place, hasLeftOrigin) }
}

extension PageChange: Codable {
    private enum Key: CodingKey { case url, query, json, value, hasLeftOrigin }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        hasLeftOrigin = try members.decode(Bool.self, forKey: .hasLeftOrigin)
        if let url = try members.decodeIfPresent(String.self, forKey: .url) {
            place = .url(url)
        } else if let name = try members.decodeIfPresent(String.self, forKey: .query) {
            place = .parameter(.query(name), try members.decode(JSONValue.self, forKey: .value))
        } else {
            let name = try members.decode(String.self, forKey: .json)
            place = .parameter(.json(name), try members.decode(JSONValue.self, forKey: .value))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(hasLeftOrigin, forKey: .hasLeftOrigin)
        switch place {
        case .url(let url): try members.encode(url, forKey: .url)
        case .parameter(.query(let name), let value):
            try members.encode(name, forKey: .query)
            try members.encode(value, forKey: .value)
        case .parameter(.json(let name), let value):
            try members.encode(name, forKey: .json)
            try members.encode(value, forKey: .value)
        }
    }
}
