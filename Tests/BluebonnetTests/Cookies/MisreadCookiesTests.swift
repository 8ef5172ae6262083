// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite struct MisreadCookiesTests {
    private func misread(_ lines: [String]) throws -> MisreadCookies {
        var misread = MisreadCookies()
        let url = try #require(URL(string: "http://a.test/"))
        for line in lines { misread.add(line: "Set-Cookie: " + line, from: url) }
        return misread
    }

    @Test func linesWithOneNameAreOneFault() throws {
        let misread = try misread((0..<50).map { "a=\($0); secure=1" } + ["a=1; httponly=1", "a=1; path=x", "b=1"])
        #expect(misread.faults.count == 1)
        let fault = try #require(misread.faults.values.first)
        #expect(fault.isSecure && fault.isHTTPOnly && fault.hasNoPath && !fault.isUnwanted)
    }

    @Test func namesAreComparedByTheirBytes() throws {
        let misread = try misread(["\u{E9}=1; secure=1", "e\u{301}=1; httponly=1"])
        #expect(misread.faults.count == 2)
        #expect(misread.names.count == 2)
    }
}

extension NetworkTests {
    /// What a transfer asks of a jar for one response, however many cookies the response sets.
    @Suite struct ReceivedCookiesTests {
        /// Counts what it passes on to a jar.
        private final class CountingCookies: TransferCookies {
            private let jar = CookieJar()
            let lineCount = Observed(0)
            let added = Observed([Int]())

            func openShare() throws(CurlError) -> UnsafeMutableRawPointer { try jar.openShare() }
            func noteCookie(of host: String) { jar.noteCookie(of: host) }

            func noteReceived(line: UnsafeRawBufferPointer, from url: URL) {
                lineCount.increment()
                jar.noteReceived(line: line, from: url)
            }

            func noteAdded(_ count: Int) {
                added.append(count)
                jar.noteAdded(count)
            }
        }

        /// libcurl accepts 50 cookies of a response.
        @Test func fiftyLinesOfTwoThousandAreLookedAt() async throws {
            let fields = (0..<2_000).map { ("Set-Cookie", "c\($0)=v; secure=1") }
            try await TestServer.answering(.response(headers: WireFields(fields))) { server in
                let (url, cookies) = (server.url(), CountingCookies())
                let request = TransferRequest(
                    url: url, origin: try #require(Origin(url)), method: "GET", headers: [], body: .none,
                    limits: TransferRequest.Limits(httpVersion: .http1), cookieJar: cookies)
                let partition = try await onNetworkThread {
                    NetworkBound(CurlPartition(loop: NetworkThread.shared.eventLoop))
                }
                let hasEnded = Gate()
                NetworkThread.shared.submit {
                    _ = partition.value.begin(request, delegate: EndTaker { _ in hasEnded.open() })
                }
                await hasEnded.wait()
                try await onNetworkThread { partition.value.close() }
                #expect(cookies.lineCount.value == 50)
                #expect(cookies.added.value == [2_000])
            }
        }
    }
}
