// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Responses over HTTP/2 whose stream the server did not end, and responses that are complete, whatever follows.
    @Suite(.enabled(if: HTTP2FrameServer.isAvailable)) struct HTTP2TruncationTests {
        private typealias Run = HTTP2FrameRun

        /// The frames before the fault: nothing, a head, or a head and a part of the body. The fault comes in the
        /// same segment or in the next segment.
        private static let truncated = ["", "head", "head.data-5", "head.padded-5", "length-100", "length-100.data-5"]
            .flatMap { beginning in
                (HTTP2FrameServer.faults.map { "\($0)/close" } + ends).flatMap { fault in
                    beginning.isEmpty ? [fault] : ["\(beginning).\(fault)", "\(beginning)/\(fault)"]
                }
            }
            .filter { $0 != "pseudo-trailers/close" }  // without a head before, this is an empty response
        private static let ends = [
            "close", "cut", "goaway-0/close", "goaway-2/close", "goaway-2.close", "reset-0/close", "reset-8/close",
        ]

        /// Complete responses with their bodies.
        private static let complete = [
            "head.end-5": "bbbbb", "head.data-5.end-0": "bbbbb", "head/end-5": "bbbbb", "head.data-5/end-0": "bbbbb",
            "head.data-2/end-3": "bbbbb", "head.data-5.trailers": "bbbbb", "head.data-5/trailers": "bbbbb",
            "head/data-5/trailers": "bbbbb",
            "head.padded-5/end-0": "bbbbb", "length-5.end-5": "bbbbb", "length-5.data-5/end-0": "bbbbb",
            "head/data-5.trailers": "bbbbb", "length-5/data-5.trailers": "bbbbb", "empty-200": "", "empty-204": "",
            "head/end-0": "",
        ]
        /// The frames and events that may follow a complete response.
        private static let followers =
            HTTP2FrameServer.faults + ["close", "goaway-0", "goaway-2", "goaway-11", "reset-0", "reset-8"]

        /// The complete responses alone, and with a follower in the same segment or in the next segment.
        private static func completeAndMore(_ answers: some Sequence<String> = complete.keys) -> [String] {
            answers.flatMap { answer in
                [answer, "\(answer)/close", "\(answer)/goaway-2", "\(answer)/noise"]
                    + followers.map { "\(answer).\($0)" }
            }
        }

        /// The body of a complete response, whatever follows.
        private static func body(of answer: String) -> String? {
            complete.filter { answer == $0.key || answer.hasPrefix($0.key + ".") || answer.hasPrefix($0.key + "/") }
                .max { $0.key.count < $1.key.count }?.value
        }

        /// Expects neither success nor an end at the idle limit.
        private func expectNoSuccess(_ outcomes: [Run.Outcome]) {
            for outcome in outcomes {
                let isTold = [.badServerResponse, .connectionLost].contains(outcome.error?.code)
                #expect(isTold, "\(outcome.answer): \(String(describing: outcome.error))")
            }
        }

        private func expectSuccess(_ outcomes: [Run.Outcome]) {
            for outcome in outcomes {
                #expect(outcome.error == nil, "\(outcome.answer)")
                #expect(outcome.body == Self.body(of: outcome.answer), "\(outcome.answer)")
            }
        }

        @Test(arguments: [true, false], ["GET", "POST"])
        func truncatedStreamsFail(isSecure: Bool, method: String) async throws {
            try await HTTP2FrameServer.serving { server in
                expectNoSuccess(
                    try await Run(server, method: method, isSecure: isSecure).outcomes(of: Self.truncated))
            }
        }

        @Test func truncatedStreamsFailForAFile() async throws {
            try await HTTP2FrameServer.serving { server in
                let outcomes = try await Run(server, writesFiles: true).outcomes(of: Self.truncated)
                expectNoSuccess(outcomes)
                for outcome in outcomes {
                    #expect(outcome.body == nil, "\(outcome.answer): the file was moved into place")
                }
            }
        }

        @Test func truncatedStreamsFailOnASharedConnection() async throws {
            try await HTTP2FrameServer.serving { server in
                let outcomes = try await Run(server, hasSibling: true).outcomes(of: Self.truncated)
                expectNoSuccess(outcomes)
                for outcome in outcomes { #expect(outcome.isShared, "\(outcome.answer)") }
            }
        }

        /// Without frame observation, a connection that closes together with the response's end counts as broken.
        @Test(arguments: [true, false]) func truncatedStreamsFailWithoutFrameObservation(isSecure: Bool) async throws {
            try await HTTP2FrameServer.serving { server in
                let run = Run(server, isSecure: isSecure, observesFrames: false)
                // A stream that is reset without an error looks like an ended stream.
                expectNoSuccess(try await run.outcomes(of: Self.truncated.filter { !$0.contains("reset-0") }))
                // The end of the connection arrives together with the error.
                expectNoSuccess(
                    try await run.outcomes(
                        of: ["head.reset-8.close", "head.data-5.reset-8.close", "head/data-5.reset-8.close"]))
                expectSuccess(try await run.outcomes(of: Array(Self.complete.keys)))
            }
        }

        @Test(arguments: [true, false], ["GET", "POST"])
        func completeResponsesSucceedWhateverFollows(isSecure: Bool, method: String) async throws {
            try await HTTP2FrameServer.serving { server in
                expectSuccess(
                    try await Run(server, method: method, isSecure: isSecure).outcomes(of: Self.completeAndMore()))
            }
        }

        @Test func completeResponsesSucceedForAFile() async throws {
            try await HTTP2FrameServer.serving { server in
                let answers = Self.completeAndMore(["head.data-5.end-0", "head/end-5", "head/data-5.trailers"])
                expectSuccess(try await Run(server, writesFiles: true).outcomes(of: answers))
            }
        }

        @Test func completeResponsesSucceedOnASharedConnection() async throws {
            try await HTTP2FrameServer.serving { server in
                let answers = Self.completeAndMore([
                    "head.data-5.end-0", "head/end-5", "empty-204", "head/data-5.trailers",
                ])
                let outcomes = try await Run(server, hasSibling: true).outcomes(of: answers)
                expectSuccess(outcomes)
                for outcome in outcomes { #expect(outcome.isShared, "\(outcome.answer)") }
            }
        }

        /// libcurl abandons a flooded connection with an error, even for a response that it has already delivered.
        @Test(arguments: [true, false], ["GET", "POST"])
        func errorAfterACompleteResponseIsIgnored(isSecure: Bool, method: String) async throws {
            try await HTTP2FrameServer.serving { server in
                let answers = ["head.data-5/end-0.flood", "head.data-5/trailers.flood", "head/data-5/trailers.flood"]
                expectSuccess(try await Run(server, method: method, isSecure: isSecure).outcomes(of: answers))
            }
        }

        /// libcurl loses the bytes that it had not delivered before such an error, although the server ended the
        /// stream. Newer versions deliver them.
        @Test func bytesLostByLibcurlAreNotReportedAsTruncation() async throws {
            try await HTTP2FrameServer.serving { server in
                let outcomes = try await Run(server).outcomes(of: ["head/end-5.flood", "head/data-5.trailers.flood"])
                for outcome in outcomes {
                    guard outcome.error != nil else {
                        expectSuccess([outcome])
                        continue
                    }
                    expectNoSuccess([outcome])
                    #expect(outcome.error?.message.contains("did not end the HTTP/2 stream") == false)
                    #expect(outcome.error?.message.contains("Flooding") == true)
                }
            }
        }

        /// A response to HEAD has no body that could be cut short.
        @Test func responsesToHEADAreCompleteWithTheirHead() async throws {
            try await HTTP2FrameServer.serving { server in
                let answers = ["head", "length-100", "head.end-0", "empty-200", "head.goaway-2", "head.noise"]
                for outcome in try await Run(server, method: "HEAD").outcomes(of: answers) {
                    #expect(outcome.error == nil, "\(outcome.answer)")
                    #expect(outcome.body == "", "\(outcome.answer)")
                }
            }
        }
    }
}
