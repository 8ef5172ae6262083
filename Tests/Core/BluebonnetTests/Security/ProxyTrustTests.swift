// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A pinned server reached through proxies. The certificate of a proxy never counts for the server, nor the
    /// server's for the proxy.
    @Suite struct ProxyTrustTests {
        /// Starts a server and a proxy that tunnels to it. The proxy is plain or has its own certificate.
        private func withTunnel(
            to certificate: TestCertificate = .localhost, proxy proxyCertificate: TestCertificate?,
            _ body: (_ origin: TestServer, _ proxy: TestServer) async throws -> Void
        ) async throws {
            let origin = try await TestServer.start(tls: certificate) { _ in .response(body: "origin") }
            let port = origin.port
            let proxy = try await TestServer.start(tls: proxyCertificate) { _ in
                .raw("HTTP/1.1 200 Connection established\r\n\r\n").then(.tunnel(toPort: port))
            }
            try await body(origin, proxy)
            await origin.stop()
            await proxy.stop()
        }

        private func options(
            _ pin: TestCertificate?, through proxy: TestServer, proxyPin: TestCertificate? = nil,
            trustsProxy: Bool = true
        ) throws -> TransferOptions {
            var options = try pin.map { try PinnedOptions.pinning($0) } ?? PinnedOptions.unpinned
            let scheme = proxy.url().scheme ?? ""
            var made = try Proxy("\(scheme)://127.0.0.1:\(proxy.port)")
            if trustsProxy {
                made.securityPolicy =
                    try proxyPin.map { try PinnedOptions.pinning($0).securityPolicy }
                    ?? PinnedOptions.unpinned.securityPolicy
            }
            options.proxy = made
            return options
        }

        @Test(arguments: [nil, TestCertificate.otherKey])
        func pinAppliesToTheServerNotTheProxy(proxyCertificate: TestCertificate?) async throws {
            try await withTunnel(proxy: proxyCertificate) { origin, proxy in
                for (pin, code) in [
                    (nil, nil), (TestCertificate.localhost, nil), (TestCertificate.otherKey, .pinMismatch),
                    (TestCertificate.localhost, nil),
                ] as [(TestCertificate?, NetworkingError.Code?)] {
                    let operation = await get(origin.url(), try options(pin, through: proxy))
                    #expect(operation.code == code, "\(operation.error?.message ?? "")")
                    #expect((operation.responseString == "origin") == (code == nil))
                }
                #expect(origin.requests.count == 3)
                #expect(origin.requests.map(\.connection) == [1, 2, 2])
            }
        }

        @Test func httpsProxyIsJudgedByItsOwnPolicy() async throws {
            try await withTunnel(proxy: .otherKey) { origin, proxy in
                for (proxyPin, trusts, code) in [
                    (nil, false, .serverNotTrusted), (TestCertificate.localhost, true, .pinMismatch),
                    (TestCertificate.otherKey, true, nil),
                ] as [(TestCertificate?, Bool, NetworkingError.Code?)] {
                    let options = try options(.localhost, through: proxy, proxyPin: proxyPin, trustsProxy: trusts)
                    let operation = await get(origin.url(), options)
                    #expect(operation.code == code, "\(operation.error?.message ?? "")")
                }
                // A refused proxy received nothing, not even the address to connect to.
                #expect(proxy.requests.count == 1)
                #expect(origin.requests.count == 1)
            }
        }

        @Test func proxyAuthoritiesMayComeFromAnySource() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let root = TestCertificate.Authority.root.certificate
            try folder.write("root.crt", Data(contentsOf: URL(fileURLWithPath: root.leafPath)))
            try await withTunnel(proxy: .localhost) { origin, proxy in
                let sources: [(TrustedAuthorities, NetworkingError.Code?)] = [
                    (.directory(folder.url.path), nil), (.data(try root.der), nil), (.system, .serverNotTrusted),
                    (.nobody, .serverNotTrusted), (.file("/nowhere"), .invalidSecurityPolicy),
                ]
                for (source, code) in sources {
                    var options = try options(nil, through: proxy)
                    options.proxy?.securityPolicy = .default
                    options.proxy?.securityPolicy.authorities = source
                    let operation = await get(origin.url(), options)
                    #expect(operation.code == code, "\(source): \(operation.error?.message ?? "")")
                    await closeIdleConnections()
                }
                #expect(origin.requests.count == 2)
            }
        }

        /// State that libcurl keeps of a proxy that needs no authority must not affect the server reached through it.
        @Test func untrustedProxyDoesNotDisableTheServersAuthorities() async throws {
            try await withTunnel(proxy: .selfSigned) { origin, proxy in
                for _ in 0..<2 {
                    var options = try options(nil, through: proxy)
                    options.proxy?.securityPolicy = try SecurityPolicy(
                        allowInvalidCertificates: true, validatesDomainName: false)
                    let operation = await get(origin.url(), options)
                    #expect(operation.error == nil, "\(operation.error?.message ?? "")")
                    #expect(operation.responseString == "origin")
                    await closeIdleConnections()
                }
            }
        }

        @Test func proxyNameIsCheckedSeparately() async throws {
            try await withTunnel(proxy: .wrongHost) { origin, proxy in
                let refused = await get(origin.url(), try options(.localhost, through: proxy))
                #expect(refused.code == .serverNotTrusted)
                #expect(refused.error?.message.contains("does not name it") == true)
                #expect(proxy.requests.isEmpty)
            }
            try await withTunnel(to: .wrongHost, proxy: .localhost) { origin, proxy in
                let refused = await get(origin.url(), try options(nil, through: proxy))
                #expect(refused.code == .serverNotTrusted)
                #expect(proxy.requests.map(\.method) == ["CONNECT"])
                #expect(origin.requests.isEmpty)
            }
        }

        @Test func plainRequestThroughAnHTTPSProxyNeedsATrustedProxy() async throws {
            let proxy = try await TestServer.start(tls: .localhost) { _ in .response(body: "from the proxy") }
            let url = try #require(URL(string: "http://origin.example/"))
            let trusted = await get(url, try options(nil, through: proxy))
            #expect(trusted.responseString == "from the proxy")
            #expect(try await get(url, options(nil, through: proxy, trustsProxy: false)).code == .serverNotTrusted)
            #expect(proxy.requests.count == 1)
            await proxy.stop()
        }

        @Test func tunnelIsReusedOnlyThroughTheSameProxy() async throws {
            try await withTunnel(proxy: nil) { origin, proxy in
                let through = try options(.localhost, through: proxy)
                var named = through
                named.proxy = try Proxy("http://user:secret@127.0.0.1:\(proxy.port)")
                for options in [through, try PinnedOptions.pinning(.localhost), named, through] {
                    #expect(await get(origin.url(), options).error == nil)
                }
                #expect(origin.requests.map(\.connection) == [1, 2, 3, 1])
            }
        }

        @Test func blockIsAskedAboutTheServerNotTheProxy() async throws {
            try await withTunnel(to: .selfSigned, proxy: .localhost) { origin, proxy in
                let seen = Observed([ServerTrustChallenge]())
                let operation = RequestOperation(
                    request: URLRequest(url: origin.url()), options: try options(nil, through: proxy))
                operation.onServerTrust = { _, challenge in
                    seen.append(challenge)
                    return .accept
                }
                #expect(await operation.run().responseString == "origin")
                #expect(seen.value.map(\.port) == [origin.port])
            }
        }
    }
}
