// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers

@testable import Bluebonnet

/// A server, and mitmproxy between the server and a client.
struct InterceptedPath: Sendable {
    /// The position of mitmproxy.
    enum Way: CaseIterable {
        /// The client's HTTP proxy.
        case proxy
        /// The client's HTTP proxy, reached over TLS.
        case secureProxy
        /// The client's HTTP proxy, which forwards to another proxy.
        case proxyBeforeAnother
        /// At the server's address, as when a network redirects the client's packets.
        case inPlaceOfTheServer
    }

    let way: Way
    let origin: TestServer
    let interceptor: MitmproxyServer

    /// Starts the servers, calls `body`, and always stops the servers afterwards.
    static func with(_ way: Way, _ body: (InterceptedPath) async throws -> Void) async throws {
        let origin = try await TestServer.start(tls: .localhost) { _ in .response(body: "origin") }
        let port = origin.port
        let behind = try await TestServer.start { _ in
            .raw("HTTP/1.1 200 Connection established\r\n\r\n").then(.tunnel(toPort: port))
        }
        let mode =
            switch way {
            case .proxy, .secureProxy: "regular"
            case .proxyBeforeAnother: "upstream:http://127.0.0.1:\(behind.port)"
            case .inPlaceOfTheServer: "reverse:https://127.0.0.1:\(port)"
            }
        let interceptor = try await MitmproxyServer.start(mode: mode)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(InterceptedPath(way: way, origin: origin, interceptor: interceptor)))
        } catch {
            result = .failure(error)
        }
        await interceptor.stop()
        await behind.stop()
        await origin.stop()
        try result.get()
    }

    /// The URL that the client requests for a path.
    func url(_ path: String) -> URL {
        guard way == .inPlaceOfTheServer else { return origin.url(path) }
        guard let url = URL(string: "https://127.0.0.1:\(interceptor.port)\(path)") else {
            preconditionFailure("\(path) is not the path of a URL")
        }
        return url
    }

    /// The options of a request on this path. mitmproxy's authority is trusted for a proxy that is reached over TLS.
    func options(_ policy: SecurityPolicy) throws -> TransferOptions {
        var options = TransferOptions(policy: policy)
        switch way {
        case .inPlaceOfTheServer: break
        case .proxy, .proxyBeforeAnother: options.proxy = try Proxy("http://127.0.0.1:\(interceptor.port)")
        case .secureProxy:
            options.proxy = try Proxy("https://127.0.0.1:\(interceptor.port)")
            options.proxy?.securityPolicy = try SecurityPolicy(authorities: .file(interceptor.caPath))
        }
        return options
    }
}
