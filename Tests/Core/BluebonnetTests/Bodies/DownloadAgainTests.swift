// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// An interrupted download whose next attempt fails too, or is for another resource.
    @Suite struct DownloadAgainTests {
        private let folder: DownloadFolder
        private let file = Representation(body: .patterned(byteCount: 300_000), etag: "\"one\"")

        init() throws { folder = try DownloadFolder() }

        /// The reply, cut after this many bytes of its body.
        private func cut(_ reply: Reply, bodyByteCount: Int, of whole: Int) -> Reply {
            reply.cut(afterByteCount: reply.bytes.count - whole + bodyByteCount)
        }

        private var interrupted: Reply { cut(file.whole, bodyByteCount: 100_000, of: 300_000) }

        /// Interrupts the response to a request that is marked as the first.
        private var interruptingFirst: TestServer.Script {
            { [file, interrupted] in $0.headers["X-First"] == nil ? file.answer(to: $0) : interrupted }
        }

        @Test func twoInterruptionsAreContinuedTwice() async throws {
            defer { folder.remove() }
            let script: TestServer.Script = { [file, interrupted] request in
                switch Representation.offset(of: request) {
                case nil: interrupted
                case 100_000?: cut(file.part(from: 100_000), bodyByteCount: 70_000, of: 200_000)
                default: file.answer(to: request)
                }
            }
            try await TestServer.serving(script: script) { server in
                #expect(await folder.download(server.url()).code == .badServerResponse)
                #expect(await folder.download(server.url()).code == .badServerResponse)
                #expect(await folder.download(server.url()).error == nil)
                #expect(server.requests.map(Representation.offset) == [nil, 100_000, 170_000])
                #expect(folder.contents == file.body)
                #expect(folder.names == ["file"])
            }
        }

        @Test func finishedOperationHoldsNeitherLockNorDescriptor() async throws {
            folder.remove()
            // In its own process: other suites run at the same time and open descriptors too.
            await #expect(processExitsWith: .success) { try await DownloadAgainTests().downloadFortyTimes() }
        }

        private func downloadFortyTimes() async throws {
            defer { folder.remove() }
            let script: TestServer.Script = { [file, interrupted] in
                $0.path == "/cut" ? interrupted : file.answer(to: $0)
            }
            try await TestServer.serving(script: script) { server in
                await folder.download(server.url("/warm-up"))
                await closeIdleConnections()
                await server.waitForConnectionsToClose()
                let before = ResourceSnapshot.current()
                var operations: [HTTPRequestOperation] = []
                for round in 0..<40 {
                    operations.append(await folder.download(server.url(round.isMultiple(of: 2) ? "/cut" : "/whole")))
                }
                for (round, operation) in operations.enumerated() {
                    #expect(operation.code == (round.isMultiple(of: 2) ? .badServerResponse : nil))
                }
                await closeIdleConnections()
                let growth = await ResourceSnapshot.growthAfterSettling(to: before)
                #expect(growth.isEmpty, "\(growth)")
                #expect(folder.contents == file.body)
            }
        }

        @Test(arguments: [404, 503])
        func errorStatusInsteadOfTheRestKeepsThePart(status: Int) async throws {
            defer { folder.remove() }
            let phase = Observed([Int]())
            let script: TestServer.Script = { [file, interrupted] request in
                phase.append(1)
                switch phase.value.count {
                case 1: return interrupted
                case 2: return .response(status: status, body: "not now")
                default: return file.answer(to: request)
                }
            }
            try await TestServer.serving(script: script) { server in
                #expect(await folder.download(server.url()).code == .badServerResponse)
                #expect(await folder.download(server.url()).code == .unacceptableStatus)
                #expect(folder.partialContents == file.body.prefix(100_000))
                #expect(await folder.download(server.url()).error == nil)
                #expect(server.requests.map(Representation.offset) == [nil, 100_000, 100_000])
                #expect(folder.contents == file.body)
            }
        }

        @Test func unreachableServerKeepsThePart() async throws {
            defer { folder.remove() }
            let server = try await TestServer.start { [interrupted] _ in interrupted }
            await folder.download(server.url())
            await server.stop()
            #expect(await folder.download(server.url()).error != nil)
            #expect(folder.partialContents == file.body.prefix(100_000))
        }

        @Test func partOfAnotherURLIsNotContinued() async throws {
            defer { folder.remove() }
            let script: TestServer.Script = { [file, interrupted] in
                $0.path == "/one" ? interrupted : file.answer(to: $0)
            }
            try await TestServer.serving(script: script) { server in
                await folder.download(server.url("/one"))
                #expect(await folder.download(server.url("/two")).error == nil)
                #expect(server.requests.map(Representation.offset) == [nil, nil])
                #expect(folder.contents == file.body)
            }
        }

        @Test func partThatIsAlreadyWholeBecomesTheFile() async throws {
            defer { folder.remove() }
            try await TestServer.serving(script: interruptingFirst) { server in
                let first = URLRequest("GET", server.url(), headers: ["X-First": "1"])
                #expect(await folder.operation(first).run().error != nil)
                try folder.folder.write("file.bluebonnet-partial", file.body)
                #expect(await folder.download(server.url()).error == nil)
                #expect(folder.contents == file.body)
                #expect(folder.names == ["file"])
            }
        }

        @Test func partLongerThanTheWholeIsDiscarded() async throws {
            defer { folder.remove() }
            try await TestServer.serving(script: interruptingFirst) { server in
                let first = URLRequest("GET", server.url(), headers: ["X-First": "1"])
                #expect(await folder.operation(first).run().error != nil)
                try folder.folder.write("file.bluebonnet-partial", file.body + Data("more".utf8))
                #expect(await folder.download(server.url()).error == nil)
                #expect(folder.contents == file.body)
            }
        }

        @Test func damagedRecordIsIgnored() async throws {
            defer { folder.remove() }
            try folder.folder.write("file.bluebonnet-partial", Data(repeating: 0xFF, count: 100_000))
            try folder.folder.write("file.bluebonnet-partial.json", "{\"etag\": ")
            let script: TestServer.Script = { [file] in file.answer(to: $0) }
            try await TestServer.serving(script: script) { server in
                #expect(await folder.download(server.url()).error == nil)
                #expect(server.requests.map(Representation.offset) == [nil])
                #expect(folder.contents == file.body)
                #expect(folder.names == ["file"])
            }
        }

        @Test func rangeSetByTheCallerIsNotContinued() async throws {
            defer { folder.remove() }
            let script: TestServer.Script = { [file] in
                cut(file.answer(to: $0), bodyByteCount: 100_000, of: 290_000)
            }
            try await TestServer.serving(script: script) { server in
                let request = URLRequest("GET", server.url(), headers: ["Range": "bytes=10000-"])
                for _ in 0..<2 { #expect(await folder.operation(request).run().code == .badServerResponse) }
                #expect(server.requests.map(Representation.offset) == [10_000, 10_000])
                #expect(folder.names == [])
            }
        }

        @Test func postIsNotContinued() async throws {
            defer { folder.remove() }
            try await TestServer.answering(interrupted) { server in
                let request = URLRequest("POST", server.url(), body: "query")
                for _ in 0..<2 { #expect(await folder.operation(request).run().code == .badServerResponse) }
                #expect(server.requests.map(Representation.offset) == [nil, nil])
                #expect(folder.names == [])
            }
        }
    }
}
