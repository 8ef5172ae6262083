// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetTestServer
public import Foundation

/// An HTTP/2 server over TLS. It answers each request with the frames that the path spells out, valid or not, and
/// records each frame that the client sends.
///
/// ```swift
/// let head = HTTP2WireServer.Frame.head([(":status", "200"), ("content-length", "2")])
/// let url = server.url([head, .data("ok", ends: true)])
/// ```
/// The server acknowledges the client's SETTINGS, but not its PINGs.
public final class HTTP2WireServer: Sendable {
    /// Whether a Python with hpack was found. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "an HTTP/2 wire server", missing: python == nil ? "no Python with hpack was found" : nil)

    private static let python = PythonModules.python(with: "hpack", in: "mitmproxy-venv")

    private let process: ServerProcess

    private init(process: ServerProcess) {
        self.process = process
    }

    /// Starts a server, passes it to `body`, and stops it when `body` returns or throws.
    ///
    /// - Parameter opening: the frames that begin a connection. Default: an empty SETTINGS frame.
    public static func serving<Result>(
        opening: [Frame] = [.settings()], _ body: (HTTP2WireServer) async throws -> Result
    ) async throws -> Result {
        guard let python else { throw TestServerError("no Python with hpack was found") }
        let process = try await ServerProcess.start(portCount: 1) { folder, ports in
            let certificate = TestCertificate.localhost
            return [
                python, "-u", try folder.write("script.py", script), try certificate.certificatePath,
                try certificate.keyPath, String(ports[0]), opening.map(\.word).joined(separator: "."),
            ]
        }
        do {
            let result = try await body(HTTP2WireServer(process: process))
            await process.stop()
            return result
        } catch {
            await process.stop()
            throw error
        }
    }

    /// The URL of a request that the server answers with these frames once the request has arrived completely.
    ///
    /// - Parameters:
    ///   - isEarly: whether the server answers when the request's head has arrived, before its body.
    ///   - isClosed: whether the server closes the connection properly after the answer.
    public func url(_ frames: [Frame], isEarly: Bool = false, isClosed: Bool = false) -> URL {
        let words = (isEarly ? ["early"] : []) + frames.map(\.word) + (isClosed ? ["close"] : [])
        return loopbackURL("https", process.ports[0], "/" + words.joined(separator: "."))
    }

    /// The URL with this path. The server answers "ok".
    public func url(path: String) -> URL { loopbackURL("https", process.ports[0], "/ok" + path) }

    /// The frames that clients sent, in order of arrival.
    public var frames: [ReceivedFrame] {
        process.output.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 6, words[0] == "frame" else { return nil }
            let numbers = words[1...4].compactMap { Int($0) }
            guard numbers.count == 4, let kind = UInt8(exactly: numbers[1]), let flags = UInt8(exactly: numbers[2])
            else { return nil }
            return ReceivedFrame(
                connection: numbers[0], kind: kind, flags: flags, stream: numbers[3], payload: Self.bytes(words[5]))
        }
    }

    /// The prefaces that clients sent before their first frame, in order of arrival.
    public var prefaces: [String] {
        process.output.split(separator: "\n").filter { $0.hasPrefix("preface ") }
            .compactMap { $0.split(separator: " ").last.map { String(decoding: Self.bytes($0), as: UTF8.self) } }
    }

    /// The number of body bytes that arrived in DATA frames.
    public var dataByteCount: Int {
        process.output.split(separator: "\n").reduce(0) { count, line in
            count + (line.hasPrefix("data ") ? Int(line.dropFirst(5)) ?? 0 : 0)
        }
    }

    /// The fields of the requests, including pseudo-header fields, in order of arrival.
    public var heads: [WireFields] {
        process.output.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("head ") else { return nil }
            let pairs = try? JSONDecoder().decode([[String]].self, from: Data(line.dropFirst(5).utf8))
            return pairs.map { WireFields($0.map { ($0[0], $0[1]) }) }
        }
    }

    private static func bytes(_ text: Substring) -> [UInt8] {
        stride(from: 0, to: text.utf8.count - 1, by: 2).compactMap { index in
            let start = text.index(text.startIndex, offsetBy: index)
            return UInt8(text[start...].prefix(2), radix: 16)
        }
    }
}
