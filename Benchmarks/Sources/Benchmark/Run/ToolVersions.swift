// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Processes

/// The versions of what takes part in a run.
enum ToolVersions {
    /// The versions by name. A program that is not installed has none.
    static var facts: [String: String] {
        var facts: [String: String] = [:]
        for (name, words) in programs {
            facts[name] = words.first.flatMap(Spawning.find).flatMap {
                firstVersion(in: output([$0] + words.dropFirst()))
            }
        }
        facts["Bluebonnet"] = bluebonnet
        facts["async-http-client"] = asyncHTTPClient
        return facts
    }

    private static let programs = [
        ("Swift", ["swiftc", "--version"]), ("nginx", ["nginx", "-v"]), ("curl", ["curl", "--version"]),
        ("wget2", ["wget2", "--version"]), ("aria2", ["aria2c", "--version"]), ("h2load", ["h2load", "--version"]),
        ("openssl", ["openssl", "version"]),
    ]

    /// The version of the sources, and the commit that they are from.
    private static var bluebonnet: String? {
        let file = "\(BuildSubject.root)/Sources/Core/BluebonnetHTTP/Messages/Version.swift"
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let version = text.firstMatch(of: /text = "([^"]+)"/)
        else { return nil }
        let git = Spawning.find("git").map { [$0, "-C", BuildSubject.root, "rev-parse", "--short", "HEAD"] }
        let commit = git.map(output)?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return commit.isEmpty ? String(version.1) : "\(version.1), commit \(commit)"
    }

    /// The version that SwiftPM has resolved for this package.
    private static var asyncHTTPClient: String? {
        struct Resolved: Decodable {
            struct Pin: Decodable {
                struct State: Decodable { let version: String? }
                let identity: String
                let state: State
            }
            let pins: [Pin]
        }
        let file = URL(fileURLWithPath: "\(BuildSubject.root)/Benchmarks/Package.resolved")
        let resolved = (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(Resolved.self, from: $0) }
        return resolved?.pins.first { $0.identity == "async-http-client" }?.state.version
    }

    /// Returns the output and the errors of a program: nginx writes its version to standard error.
    private static func output(_ words: [String]) -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        (process.standardOutput, process.standardError) = (pipe, pipe)
        guard (try? process.run()) != nil else { return "" }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : ""
    }

    private static func firstVersion(in text: String) -> String? {
        text.firstMatch(of: /\d+\.\d+(?:\.\d+)?/).map { String($0.output) }
    }
}
