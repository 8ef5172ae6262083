// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct HTTP2StreamTests {
    /// Frames are (byte count, ends the stream). The other columns: delivered bytes, whether a body is possible,
    /// Content-Length, and the result.
    @Test(
        arguments: [
            (frames: [(5, false)], delivered: 5, hasBody: true, length: nil, isComplete: false),
            ([(5, true)], 5, true, nil, true), ([(5, false), (0, true)], 5, true, nil, true),
            ([(0, true)], 0, true, nil, true), ([], 0, true, nil, false),
            // libcurl lost some bytes.
            ([(5, true)], 3, true, nil, false),
            // With Content-Length, the frame that ends the stream may come later.
            ([(5, false)], 5, true, 5, true), ([(5, true)], 5, true, 6, false), ([(4, true)], 4, true, 5, false),
            ([], 0, true, 0, true),
            // Without a body, nothing is missing.
            ([], 0, false, nil, true), ([], 0, false, 100, true), ([(0, true)], 0, false, nil, true),
        ] as [(frames: [(Int, Bool)], delivered: Int, hasBody: Bool, length: Int64?, isComplete: Bool)])
    func completenessFollowsFromFramesAndLength(
        frames: [(Int, Bool)], delivered: Int, hasBody: Bool, length: Int64?, isComplete: Bool
    ) {
        var stream = HTTP2Stream()
        for (byteCount, endsStream) in frames { stream.recordFrame(dataByteCount: byteCount, endsStream: endsStream) }
        stream.recordDelivered(delivered)
        #expect(stream.isComplete(hasBody: hasBody, length: length) == isComplete)
    }

    @Test func faultReportsWhetherServerEndedStream() {
        var stream = HTTP2Stream()
        stream.recordFrame(dataByteCount: 5, endsStream: false)
        #expect(stream.fault == "did not end the HTTP/2 stream")
        stream.recordFrame(dataByteCount: 0, endsStream: true)
        stream.recordDelivered(3)
        #expect(stream.fault == "ended the HTTP/2 connection when 3 of 5 body bytes had been read of the response")
    }
}
