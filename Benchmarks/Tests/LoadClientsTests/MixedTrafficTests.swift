// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import LoadClients
import Testing

@Suite(.timeLimit(.minutes(2))) struct MixedTrafficTests {
    private static let requestCount = 300

    @Test(arguments: Case(.mixed, concurrency: 4).contenders)
    func everyClientSendsThePlan(_ contender: Contender) async throws {
        let server = try RecordingServer(originCount: 5)
        defer { server.stop() }
        let measured = try await run(contender, server)
        #expect(measured.errorCount == 0, "\(measured.firstError ?? "")")
        let plan = MixedPlan(origins: server.origins)
        #expect(server.texts.sorted() == (0..<Self.requestCount).map { plan.request($0).text }.sorted())
        #expect(server.methods == ["GET": 270, "POST": 30])
        #expect(server.contentTypes == [MixedRequest.contentType: 30])
        #expect(server.mostConnections <= ConnectionLimits(inFlight: 4, originCount: 5).perOrigin)
    }

    @Test(arguments: Case(.mixed, concurrency: 4).contenders)
    func wrongAnswersAreErrors(_ contender: Contender) async throws {
        let cases: [(status: Int, body: String, errorCount: Int)] = [
            (500, JSONDocument.small.text, Self.requestCount),
            (200, JSONDocument.small.text + " ", contender == .bluebonnetAsync ? 100 : Self.requestCount),
            // The length is right, and clients that keep the bytes do not look at them.
            (200, JSONDocument.small.text.replacing("42", with: "43"), 200),
            (200, JSONDocument.small.text.replacing("}]", with: "],"), 200),
        ]
        for (status, body, errorCount) in cases {
            let server = try RecordingServer(originCount: 5, status: status, body: body)
            defer { server.stop() }
            let measured = try await run(contender, server)
            if contender == .libcurl {
                // libcurl stops at the first error, and decodes nothing.
                #expect(measured.errorCount == (errorCount == 200 ? 0 : 1))
            } else {
                #expect(measured.errorCount == errorCount, "\(status) \(body): \(measured.firstError ?? "")")
            }
        }
    }

    /// Runs a session on a separate thread. The session blocks its thread, and async clients need the threads of the
    /// tests.
    private func run(_ contender: Contender, _ server: RecordingServer) async throws -> Measured {
        let plan = MixedPlan(origins: server.origins)
        var job = Job(.mixed(plan), requestCount: Self.requestCount, concurrency: 4)
        job.expectedByteCount = Int64(JSONDocument.small.byteCount)
        let session = LoadSession(client: contender, job: job)
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try session.run() }) }
        }
    }
}
