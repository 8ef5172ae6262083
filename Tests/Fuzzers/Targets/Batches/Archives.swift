// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

extension FuzzTarget {
    /// An archived operation, and archived transfer options.
    static let archives = FuzzTarget("archives") { input in
        let data = Data(input.rest)
        if let archive = try? JSONDecoder().decode(OperationArchive.self, from: data) {
            let again = try JSONDecoder().decode(OperationArchive.self, from: JSONEncoder().encode(archive))
            try holdSame(try coded(again), try coded(archive), "an archive stays")
        }
        // Decoding options reads the netrc file that they name. A fuzzer must not choose that path.
        guard data.range(of: Data("netrc".utf8)) == nil else { return }
        guard let options = try? JSONDecoder().decode(TransferOptions.self, from: data) else { return }
        let again = try JSONDecoder().decode(TransferOptions.self, from: JSONEncoder().encode(options))
        try holdSame(try coded(again), try coded(options), "options stay")
    }

    /// The JSON of a value. Sets have no order, so arrays are sorted by the text of their elements.
    private static func coded(_ value: some Encodable) throws -> JSONValue {
        sorted(try JSONValue(parsing: JSONEncoder().encode(value)))
    }

    private static func sorted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements):
            .array(elements.map(sorted).map { ($0.description, $0) }.sorted { $0.0 < $1.0 }.map(\.1))
        case .object(let members): .object(members.mapValues(sorted))
        case .null, .bool, .integer, .number, .string: value
        }
    }
}
