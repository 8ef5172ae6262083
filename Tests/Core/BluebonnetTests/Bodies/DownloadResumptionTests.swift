// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A new download continues an interrupted one or starts again. The file always has the bytes of one version.
    @Suite struct DownloadResumptionTests {
        static let old = Representation(body: .patterned(byteCount: 200_000), etag: "\"one\"")
        static let new = Representation(body: Data(Data.patterned(byteCount: 180_000).reversed()), etag: "\"two\"")
        static let partByteCount = 100_000

        /// The result of a download after another download of the same URL was interrupted.
        struct Outcome {
            let code: NetworkingError.Code?
            let receivedByteCount: Int64
            let requests: [ReceivedRequest]
            let contents: Data?
            let partialContents: Data?
            /// The requested offsets; nil for a request for the whole file.
            var offsets: [Int?] { requests.map(Representation.offset) }
        }

        /// Interrupts a download of `first`. `second` answers the next download of the same URL.
        private func resume(
            _ first: Representation, headers: [String: String] = [:], keepsPart: Bool = true,
            second: @escaping TestServer.Script
        ) async throws -> Outcome {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            let headByteCount = first.whole.bytes.count - first.body.count
            let cut = first.whole.cut(afterByteCount: headByteCount + Self.partByteCount)
            let isSecond = Gate()
            let script: TestServer.Script = { isSecond.isOpen ? second($0) : cut }
            return try await TestServer.serving(script: script) { server in
                let request = URLRequest("GET", server.url("/file"), headers: headers)
                #expect(await folder.operation(request).run().code == .badServerResponse)
                #expect(folder.partialContents == (keepsPart ? first.body.prefix(Self.partByteCount) : nil))
                #expect(folder.contents == nil)
                isSecond.open()
                let operation = await folder.operation(request).run()
                return Outcome(
                    code: operation.code, receivedByteCount: operation.receivedByteCount,
                    requests: Array(server.requests.dropFirst()), contents: folder.contents,
                    partialContents: folder.partialContents)
            }
        }

        @Test func strongTagContinuesTheDownload() async throws {
            let outcome = try await resume(Self.old) { Self.old.answer(to: $0) }
            #expect(outcome.code == nil)
            #expect(outcome.contents == Self.old.body)
            #expect(outcome.offsets == [100_000])
            #expect(outcome.requests.first?.headers["If-Range"] == "\"one\"")
            #expect(outcome.requests.first?.headers["Accept-Encoding"] == "identity")
            #expect(outcome.receivedByteCount == 200_000)
        }

        @Test func changedTagStartsTheDownloadAgain() async throws {
            let outcome = try await resume(Self.old) { Self.new.answer(to: $0) }
            #expect(outcome.code == nil)
            #expect(outcome.contents == Self.new.body)
            #expect(outcome.offsets == [100_000])
        }

        @Test(arguments: [nil, "W/\"one\"", "one", "\"one", ""])
        func partWithoutAStrongTagIsNotKept(etag: String?) async throws {
            let weak = Representation(body: Self.old.body, etag: etag)
            let outcome = try await resume(weak, keepsPart: false) { weak.answer(to: $0) }
            #expect(outcome.code == nil)
            #expect(outcome.contents == weak.body)
            #expect(outcome.offsets == [nil])
        }

        @Test func wholeResponseToARangeRequestStartsAgain() async throws {
            let outcome = try await resume(Self.old) { _ in Self.old.whole }
            #expect(outcome.code == nil)
            #expect(outcome.contents == Self.old.body)
            #expect(outcome.offsets == [100_000])
        }

        @Test(arguments: [99_999, 100_001, 0])
        func rangeFromAnotherOffsetStartsAgain(offset: Int) async throws {
            let outcome = try await resume(Self.old) { request in
                Representation.offset(of: request) == nil ? Self.old.whole : Self.old.part(from: offset)
            }
            #expect(outcome.code == nil)
            #expect(outcome.contents == Self.old.body)
            #expect(outcome.offsets == [100_000, nil])
        }

        @Test(arguments: [
            "", "bytes 100000-199999/199999", "bytes 100000-199999/300000", "bytes 100000-200000/200000", "items 1-2/3",
            "bytes 199999-100000/200000", "bytes 100000-199999",
        ])
        func rangeOfAnotherTotalStartsAgain(range: String) async throws {
            let outcome = try await resume(Self.old) { request in
                guard Representation.offset(of: request) != nil else { return Self.old.whole }
                let fields: WireFields = ["ETag": "\"one\"", "Content-Range": range]
                return .response(status: 206, headers: fields, body: Self.old.body.dropFirst(100_000))
            }
            #expect(outcome.code == nil)
            #expect(outcome.contents == Self.old.body)
            #expect(outcome.offsets == [100_000, nil])
        }

        @Test func rangeOfAnotherTagStartsAgain() async throws {
            let sameLength = Representation(body: Data(Self.old.body.reversed()), etag: "\"two\"")
            let outcome = try await resume(Self.old) { request in
                Representation.offset(of: request).map(sameLength.part) ?? sameLength.whole
            }
            #expect(outcome.code == nil)
            #expect(outcome.contents == sameLength.body)
            #expect(outcome.offsets == [100_000, nil])
        }

        /// A response to the range request that declares `range` and sends `byteCount` bytes.
        struct WrongRest: Sendable, CustomTestStringConvertible {
            let range: String
            let byteCount: Int
            var isChunked = false
            var testDescription: String { "\(range), \(byteCount) bytes\(isChunked ? " in chunks" : "")" }

            var reply: Reply {
                let fields: WireFields = ["ETag": "\"one\"", "Content-Range": range]
                let body = old.body.dropFirst(100_000).prefix(byteCount) + Data(count: max(0, byteCount - 100_000))
                return isChunked
                    ? .chunked(status: 206, headers: fields, chunks: [body])
                    : .response(status: 206, headers: fields, body: body)
            }
        }

        @Test(arguments: [
            WrongRest(range: "bytes 100000-149999/200000", byteCount: 50_000),
            WrongRest(range: "bytes 100000-149999/200000", byteCount: 50_000, isChunked: true),
            WrongRest(range: "bytes 100000-149999/*", byteCount: 50_000),
            WrongRest(range: "bytes 100000-199999/200000", byteCount: 50_000),
            WrongRest(range: "bytes 100000-199999/200000", byteCount: 50_000, isChunked: true),
            WrongRest(range: "bytes 100000-199999/*", byteCount: 50_000, isChunked: true),
            WrongRest(range: "bytes 100000-199999/200000", byteCount: 100_004),
            WrongRest(range: "bytes 100000-199999/200000", byteCount: 100_004, isChunked: true),
            WrongRest(range: "bytes 100000-200003/200004", byteCount: 100_004),
        ])
        func wrongRestIsNotAccepted(rest: WrongRest) async throws {
            let outcome = try await resume(Self.old) { request in
                Representation.offset(of: request) == 100_000 ? rest.reply : Self.old.answer(to: request)
            }
            #expect(outcome.contents == (outcome.code == nil ? Self.old.body : nil))
            #expect(Self.old.body.starts(with: outcome.partialContents ?? Data()))
        }

        @Test(arguments: ["bytes 100000-199999/*", "bytes 100000-149999/*"])
        func rangeWithoutATotalIsExactOrAnError(range: String) async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            let fields: WireFields = ["ETag": "\"one\""]
            let whole = Reply.chunked(headers: fields, chunks: [Self.old.body])
            let part = Reply.chunked(
                status: 206, headers: ["ETag": "\"one\"", "Content-Range": range],
                chunks: [Self.old.body[100_000..<150_000]])
            let script: TestServer.Script = { request in
                if request.headers["X-First"] != nil { return whole.cut(afterByteCount: 110_000) }
                return Representation.offset(of: request) == nil ? whole : part
            }
            try await TestServer.serving(script: script) { server in
                let first = URLRequest("GET", server.url(), headers: ["X-First": "1"])
                #expect(await folder.operation(first).run().error != nil)
                let operation = await folder.download(server.url())
                #expect(folder.contents == (operation.error == nil ? Self.old.body : nil))
            }
        }
    }
}
