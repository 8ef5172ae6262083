// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import Figures
import Foundation
import Processes

/// Finds the versions of the clients.
enum Versions {
    /// - Parameter folder: the folder for temporary files.
    static func all(curl: String, in folder: URL) throws -> [Client: String] {
        let curlText = try output([curl, "--version"], in: folder)
        let words = curlText.split(separator: " ")
        let library = words.first { $0.hasPrefix("libcurl/") } ?? "libcurl"
        let cryptography = words.first { $0.hasPrefix("OpenSSL/") } ?? "OpenSSL"
        let swift = try swiftVersion(in: folder)
        return [
            .bluebonnet: "this repository; \(library), \(cryptography)",
            .asyncHTTPClient: try resolved("async-http-client") + "; swift-nio-ssl \(try resolved("swift-nio-ssl"))",
            .urlSession: "Foundation of Swift \(swift); \(library)",
            .curl: words.count > 1 ? "\(words[1]); \(cryptography)" : "unknown",
        ]
    }

    private struct Pins: Decodable {
        struct Pin: Decodable {
            struct State: Decodable { let version: String? }
            let identity: String
            let state: State
        }
        let pins: [Pin]
    }

    /// Returns the version of a package in the file `Package.resolved`.
    private static func resolved(_ package: String) throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Package.resolved")
        let pins = try JSONDecoder().decode(Pins.self, from: Data(contentsOf: file))
        return pins.pins.first { $0.identity == package }?.state.version ?? "unknown"
    }

    private static func swiftVersion(in folder: URL) throws -> String {
        guard let swift = Spawning.find("swift") else { return "unknown" }
        let words = try output([swift, "--version"], in: folder).split(separator: " ")
        return words.firstIndex(of: "version").flatMap { words.dropFirst($0 + 1).first.map(String.init) } ?? "unknown"
    }

    private static func output(_ words: [String], in folder: URL) throws -> String {
        let file = folder.appendingPathComponent("version")
        _ = try ChildGroup(
            words: words, outputFile: file, errorFile: folder.appendingPathComponent("version-errors"),
            limit: .seconds(60)
        ).run()
        return try String(contentsOf: file, encoding: .utf8)
    }
}
