// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
import BluebonnetTestServer
import COpenSSL
public import Foundation
import FoundationNetworking
import RealServers

/// A server that a case sends requests to. The right answers are known.
public struct FaultTarget: Sendable, Codable, Hashable {
    /// A kind of server.
    public enum Server: String, Sendable, Codable, CaseIterable {
        /// Serves files with ranges; accepts uploads.
        case nginx
        /// Serves bytes with ranges; echoes uploads.
        case httpbin
        /// Python's h2: answers "ok".
        case h2
        /// Serves bytes with ranges; answers uploads with their digests.
        case hypercorn
    }

    /// A kind of request.
    public enum Work: String, Sendable, Codable, CaseIterable {
        /// A download to memory.
        case memory
        /// A download to a file.
        case file
        /// An upload of bytes in memory.
        case data
        /// An upload of a stream.
        case stream
        /// An upload of a multipart form.
        case multipart
    }

    /// The sizes of bodies in bytes.
    public static let sizes = [1, 700, 20_000, 100_000]

    /// The kind of server.
    public var server: Server
    /// The base URL of the server, or of a proxy in front of it.
    public var baseURL: String
    /// The PEM file of the authority of the server's certificate; nil without TLS.
    public var authorityFile: String?
    /// The HTTP version.
    public var httpVersion = HTTPProtocolVersion.negotiated

    public init(
        _ server: Server, port: Int, authorityFile: String? = nil, httpVersion: HTTPProtocolVersion = .negotiated
    ) {
        self.server = server
        self.authorityFile = authorityFile
        self.httpVersion = httpVersion
        baseURL = "\(authorityFile == nil ? "http" : "https")://127.0.0.1:\(port)/"
    }

    /// Options that trust the server's certificate, with short timeouts.
    public var options: TransferOptions {
        get throws {
            var options = TransferOptions()
            options.httpVersion = httpVersion
            if let authorityFile { options.securityPolicy = try SecurityPolicy(authorities: .file(authorityFile)) }
            options.timeouts = Timeouts(connect: .milliseconds(1500), idle: .seconds(1), total: .seconds(10))
            return options
        }
    }

    /// Writes the files that nginx needs into its folder.
    public static func writeFiles(into folder: URL) throws {
        for size in sizes {
            try HypercornServer.bytes("file", count: size).write(to: folder.appendingPathComponent("file-\(size).bin"))
        }
    }

    /// The kinds of request that the server supports.
    public var works: [Work] { server == .h2 ? [.memory, .data, .stream] : Work.allCases }

    /// The path of a download of this many bytes.
    public func path(byteCount: Int) -> String {
        switch server {
        case .nginx: "file-\(byteCount).bin"
        case .httpbin: "range/\(byteCount)"
        case .h2: "ok"
        case .hypercorn: "bytes/file/\(byteCount)"
        }
    }

    /// The right body of a download of this many bytes.
    public func body(byteCount: Int) -> Data {
        switch server {
        case .nginx, .hypercorn: HypercornServer.bytes("file", count: byteCount)
        case .httpbin: Data((0..<byteCount).map { UInt8(ascii: "a") + UInt8($0 % 26) })
        case .h2: Data("ok".utf8)
        }
    }

    /// The path of uploads.
    public var uploadPath: String {
        switch server {
        case .nginx: "upload"
        case .httpbin: "post"
        case .h2: "ok"
        case .hypercorn: "received"
        }
    }
}

/// The SHA-256 digest in hexadecimal digits.
func sha256(_ data: Data) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    _ = data.withUnsafeBytes { SHA256($0.baseAddress, $0.count, &digest) }
    return digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
}
