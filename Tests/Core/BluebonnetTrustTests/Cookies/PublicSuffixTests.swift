// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension CertificateTests {
    /// Cookies of thousands of made-up hosts around public suffixes. One proxy answers for all hosts.
    @Suite(.enabled(if: SuffixCookie.isAvailable)) struct PublicSuffixTests {
        /// Sends the requests that set these cookies, and returns the numbers of the cookies that a jar keeps.
        private func kept(_ cookies: [SuffixCookie]) async throws -> Set<Int> {
            let script: TestServer.Script = { request in
                let number = request.path.split(separator: "/").last.flatMap { Int($0) } ?? 0
                let field = "c\(number)=1; Path=/; Domain=\(cookies[number].domain)"
                return .response(headers: ["Set-Cookie": field])
            }
            return try await TestServer.serving(script: script) { proxy in
                var all: Set<Int> = []
                // A jar holds 3,000 cookies.
                for start in stride(from: 0, to: cookies.count, by: 1_000) {
                    let numbers = start..<min(start + 1_000, cookies.count)
                    all.formUnion(try await kept(cookies, numbers, through: proxy))
                }
                #expect(proxy.requests.count == cookies.count)
                return all
            }
        }

        private func kept(
            _ cookies: [SuffixCookie], _ numbers: Range<Int>, through proxy: TestServer
        ) async throws -> Set<Int> {
            let jar = CookieJar()
            var configuration = RequestOperationManager.Configuration()
            configuration.cookieJar = jar
            let manager = RequestOperationManager(configuration: configuration)
            manager.transferOptions.proxy = try Proxy("http://127.0.0.1:\(proxy.port)")
            let operations = try numbers.map { number in
                let url = try #require(URL(string: "http://\(cookies[number].host)/\(number)"))
                return manager.operation(
                    with: URLRequest(url: url), responseSerializer: HTTPResponseSerializer())
            }
            for operation in operations { manager.operationQueue.addOperation(operation) }
            for operation in operations { try await operation.waitUntilEnded() }
            return Set(await jar.cookies.compactMap { Int($0.name.dropFirst()) })
        }

        @Test func cookieIsKeptOnlyIfSystemSuffixListAllowsIt() async throws {
            let cookies = try await SuffixCookie.sample(every: 16)
            #expect(cookies.count > 4_000)
            let kept = try await kept(cookies)
            for (number, cookie) in cookies.enumerated() {
                #expect(kept.contains(number) == cookie.accepted, "\(cookie)")
            }
            for (kind, group) in Dictionary(grouping: cookies, by: \.kind).sorted(by: { $0.key < $1.key }) {
                print("\(kind): \(group.count) cookies, \(group.count { $0.accepted }) kept")
            }
            // A suffix that the system's list does not know yet is not a wrong decision.
            let late = cookies.filter { $0.accepted && !$0.acceptedByNewest }
            print(
                "\(late.count) for suffixes that only the newer list has, for instance \(late.prefix(3).map(\.domain))")
        }
    }
}
