// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

extension FuzzTarget {
    /// The archive of an operation, and of its options.
    static let archives = FuzzTarget("archives") { input in
        let data = Data(input.rest)
        if let archive = try? JSONDecoder().decode(OperationArchive.self, from: data) {
            let text = try sorted(archive)
            let again = try JSONDecoder().decode(OperationArchive.self, from: text)
            try hold(try sorted(again) == text, "an archive stays: \(String(decoding: text, as: UTF8.self))")
        }
        // The credentials of a netrc file are read when the options are made: not of any path that a fuzzer thinks of.
        guard data.range(of: Data("netrc".utf8)) == nil else { return }
        guard let options = try? JSONDecoder().decode(TransferOptions.self, from: data) else { return }
        let text = try sorted(options)
        let again = try JSONDecoder().decode(TransferOptions.self, from: text)
        try hold(try sorted(again) == text, "options stay: \(String(decoding: text, as: UTF8.self))")
    }

    private static func sorted(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value)
    }
}
