// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import FaultKit
import Foundation
import RealServers

/// The servers of one case: the server whose connections have faults, and nginx for the canary.
struct FaultServers {
    /// A server and the protocol that the client uses with it.
    enum Kind: String, Sendable, Codable, CaseIterable {
        case nginxTCP, nginxTLS, nginxHTTP2, httpbinTCP, h2HTTP2, hypercornTCP, hypercornTLS, hypercornHTTP2

        var server: FaultTarget.Server {
            switch self {
            case .nginxTCP, .nginxTLS, .nginxHTTP2: .nginx
            case .httpbinTCP: .httpbin
            case .h2HTTP2: .h2
            case .hypercornTCP, .hypercornTLS, .hypercornHTTP2: .hypercorn
            }
        }

        var hasTLS: Bool { !rawValue.hasSuffix("TCP") }
        var httpVersion: HTTPProtocolVersion { rawValue.hasSuffix("HTTP2") ? .negotiated : .http1 }
    }

    static let areAvailable =
        NginxServer.isAvailable && HTTPBinServer.isAvailable && HTTP2Server.isAvailable
        && HypercornServer.isAvailable

    let kind: Kind
    let port: Int
    let canary: URL

    /// Starts the servers of a kind, calls `body`, and always stops the servers afterwards.
    static func with(_ kind: Kind, _ body: (FaultServers) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try FaultTarget.writeFiles(into: folder.url)
        let nginx = try await NginxServer.start(documentRoot: folder.url)
        do {
            try await withServer(kind, nginx) { port in
                try await body(FaultServers(kind: kind, port: port, canary: nginx.url("/tiny")))
            }
        } catch {
            await nginx.stop()
            throw error
        }
        await nginx.stop()
    }

    private static func withServer(
        _ kind: Kind, _ nginx: NginxServer, _ body: (_ port: Int) async throws -> Void
    ) async throws {
        switch kind.server {
        case .nginx: try await body(kind.hasTLS ? nginx.tlsPort : nginx.port)
        case .h2: try await HTTP2Server.serving { try await body($0.url("/").port ?? 0) }
        case .httpbin:
            let server = try await HTTPBinServer.start()
            let result = await Result { try await body(server.port) }
            await server.stop()
            try result.get()
        case .hypercorn:
            let server = try await HypercornServer.start()
            let result = await Result { try await body(kind.hasTLS ? server.tlsPort : server.port) }
            await server.stop()
            try result.get()
        }
    }

    func faultCase(seed: UInt64) throws -> FaultCase {
        FaultCase(
            server: kind.server, httpVersion: kind.httpVersion, port: port,
            authorityFile: kind.hasTLS ? try TestCertificate.localhost.caPath : nil, canary: canary, seed: seed)
    }
}

extension Result where Failure == any Error {
    /// The result of an asynchronous closure.
    init(_ work: () async throws -> Success) async {
        do {
            self = .success(try await work())
        } catch {
            self = .failure(error)
        }
    }
}
