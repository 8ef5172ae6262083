// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import FaultServer
import Testing

@Suite struct FrameReaderTests {
    private let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// The events in order: the streams of requests, and the frame types of answers.
    private func events(_ frames: [Frame], stream: UInt32 = 3) -> [String] {
        var reader = FrameReader()
        let bytes = preface + frames.flatMap { $0.encoded(requestStream: stream) }
        return bytes.flatMap { reader.read([$0]) }.map { event in
            switch event {
            case .request(let stream): "request \(stream)"
            case .answer(let bytes): "answer \(bytes[3])"
            }
        }
    }

    @Test func requestIsCompleteWithItsLastFrame() {
        #expect(events([.headers([(":method", "GET")], isLast: true)]) == ["request 3"])
        #expect(events([.headers([(":method", "POST")])]) == [])
        #expect(events([.headers([(":method", "POST")]), .data("a"), .data("b", isLast: true)]) == ["request 3"])
        #expect(
            events([
                .headers([(":method", "GET")], isLast: true, endsHead: false),
                Frame(type: 9, flags: 4, .request, []),
            ]) == ["request 3"])
    }

    @Test func settingsAndPingsAreAcknowledged() {
        #expect(events([.settings(), .ping]) == ["answer 4", "answer 6"])
        #expect(events([Frame(type: 4, flags: 1, .connection, [])]) == [])
    }
}
