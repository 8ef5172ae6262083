// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Figures
import Foundation
import Processes

/// A minimal program with one of the libraries, built from scratch.
enum BuildSubject: String, CaseIterable, ExpressibleByArgument {
    case bluebonnet
    case asyncHTTPClient = "async-http-client"
    /// Foundation alone, which the toolchain has.
    case urlSession = "urlsession"

    /// The name in tables.
    var title: String {
        switch self {
        case .bluebonnet: Contender.bluebonnet.title
        case .asyncHTTPClient: Contender.asyncHTTPClient.title
        case .urlSession: Contender.urlSession.title
        }
    }

    /// Builds the program in a folder.
    func build(in folder: URL) throws -> ChildProcess.Outcome {
        guard let swift = Spawning.find("swift") else { throw BenchmarkError("swift is not on the path") }
        let sources = folder.appendingPathComponent("Sources/Program")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try program.write(
            to: sources.appendingPathComponent("Program.swift"), atomically: false, encoding: .utf8)
        try manifest.write(
            to: folder.appendingPathComponent("Package.swift"), atomically: false, encoding: .utf8)
        try check(ChildProcess(words: [swift, "package", "--package-path", folder.path, "resolve"]).run())
        let words = [swift, "build", "-c", "release", "--package-path", folder.path]
        let outcome = try ChildProcess(words: words, limit: .seconds(3600)).run()
        try check(outcome)
        return outcome
    }

    private func check(_ outcome: ChildProcess.Outcome) throws {
        guard outcome.status == 0 else {
            throw BenchmarkError("swift failed for \(rawValue): \(String(decoding: outcome.output, as: UTF8.self))")
        }
    }

    private var manifest: String {
        let (dependency, product) =
            switch self {
            case .bluebonnet:
                (
                    ".package(name: \"Bluebonnet\", path: \"\(Self.root)\", traits: [])",
                    ".product(name: \"Bluebonnet\", package: \"Bluebonnet\")"
                )
            case .asyncHTTPClient:
                (
                    ".package(url: \"https://github.com/swift-server/async-http-client\", from: \"1.37.0\")",
                    ".product(name: \"AsyncHTTPClient\", package: \"async-http-client\")"
                )
            case .urlSession: ("", "")
            }
        return """
            // swift-tools-version: 6.1
            import PackageDescription

            let package = Package(
                name: "Program",
                dependencies: [\(dependency)],
                targets: [.executableTarget(name: "Program", dependencies: [\(product)])]
            )

            """
    }

    private var program: String {
        switch self {
        case .bluebonnet:
            """
            import Bluebonnet
            import Foundation

            @main
            struct Program {
                static func main() async throws {
                    let page: Data = try await RequestOperationManager().get("http://127.0.0.1/")
                    print(page.count)
                }
            }

            """
        case .asyncHTTPClient:
            """
            import AsyncHTTPClient

            @main
            struct Program {
                static func main() async throws {
                    let response = try await HTTPClient.shared.execute(
                        HTTPClientRequest(url: "http://127.0.0.1/"), timeout: .seconds(60))
                    print(try await response.body.collect(upTo: 1 << 20).readableBytes)
                }
            }

            """
        case .urlSession:
            """
            import Foundation
            import FoundationNetworking

            @main
            struct Program {
                static func main() async throws {
                    guard let url = URL(string: "http://127.0.0.1/") else { return }
                    print(try await URLSession.shared.data(from: url).0.count)
                }
            }

            """
        }
    }

    /// The folder of the repository, five levels above this file.
    static var root: String {
        URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/").replacing("//", with: "/")
    }
}
