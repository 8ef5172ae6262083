// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import FoundationNetworking

@testable import Bluebonnet

/// A body stream whose first read blocks until its gate is signalled. Then the stream returns the given bytes.
final class BlockedStream: InputStream {
    private let gate: DispatchSemaphore
    private var isOpen = false

    init(_ data: Data, gate: DispatchSemaphore) {
        self.gate = gate
        super.init(data: data)
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        if !isOpen { gate.wait() }
        isOpen = true
        return super.read(buffer, maxLength: maxLength)
    }

    /// A POST with a blocked body stream.
    static func request(
        _ url: URL, body: Data = Data("payload".utf8), declared: Bool = false
    ) -> (request: URLRequest, gate: DispatchSemaphore) {
        let gate = DispatchSemaphore(value: 0)
        var request = URLRequest("POST", url)
        if declared { request.setValue("\(body.count)", forHTTPHeaderField: "Content-Length") }
        request.httpBodyStream = BlockedStream(body, gate: gate)
        return (request, gate)
    }
}

/// A body stream that can be replayed.
final class ReplayedStream: InputStream, ReplayableBodyStream {
    private let bytes: Data

    override init(data: Data) {
        bytes = data
        super.init(data: data)
    }

    func makeReplay() -> InputStream? { ReplayedStream(data: bytes) }
}
