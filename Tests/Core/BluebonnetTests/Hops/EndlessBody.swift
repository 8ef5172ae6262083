// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// A response body that does not end: its framing and the pace of its bytes.
struct EndlessBody: Sendable, CustomTestStringConvertible {
    /// How the head declares the end of the body.
    enum Framing: Sendable, CaseIterable {
        /// Neither a length nor chunks: the end of the connection ends the body.
        case connectionEnd
        /// Chunks on a connection that the head declares closed after them.
        case chunksThenEnd
        case chunks
        /// A length of 60,000 bytes.
        case length
        /// A length of 1 GiB.
        case largeLength
    }

    enum Pace: Sendable {
        case silent, dripping, flooding
        /// 2 KiB a second.
        case steady

        /// The paces of bodies that are not awaited for longer than about a second.
        static let brief = [silent, dripping, flooding]
    }

    let framing: Framing
    let pace: Pace
    var testDescription: String { "\(framing) \(pace)" }

    /// All without the steady ones. A flood reaches a length of 60,000 bytes, so that body ends and is left out.
    static let all = Framing.allCases.flatMap { framing in
        Pace.brief.map { EndlessBody(framing: framing, pace: $0) }
    }.filter { $0.framing != .length || $0.pace != .flooding }

    private var fields: WireFields {
        switch framing {
        case .connectionEnd: [:]
        case .chunksThenEnd: ["Transfer-Encoding": "chunked", "Connection": "close"]
        case .chunks: ["Transfer-Encoding": "chunked"]
        case .length: ["Content-Length": "60000"]
        case .largeLength: ["Content-Length": "1073741824"]
        }
    }

    private func framed(_ data: Data) -> Data {
        guard framing == .chunks || framing == .chunksThenEnd, !data.isEmpty else { return data }
        return Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
    }

    /// A response that begins with `text`. The body then continues with the letter x, or sends nothing more.
    func reply(status: Int, headers: WireFields = [:], text: String = "") -> Reply {
        let lines = (headers.fields + fields.fields).map { "\($0.name): \($0.value)\r\n" }.joined()
        let head = Data("HTTP/1.1 \(status) Status\r\n\(lines)\r\n".utf8) + framed(Data(text.utf8))
        switch pace {
        case .silent: return Reply([.bytes(head), .stall])
        case .dripping: return Reply([.bytes(head), drip(1, every: .milliseconds(20), count: 20_000)])
        case .steady: return Reply([.bytes(head), drip(256, every: .milliseconds(125), count: 400)])
        case .flooding:
            let flood = framed(Data(repeating: UInt8(ascii: "x"), count: 65_536))
            return Reply([.bytes(head), .endless(chunk: flood)])
        }
    }

    /// Sends `byteCount` bytes at a time, for longer than any test waits.
    private func drip(_ byteCount: Int, every interval: Duration, count: Int) -> Reply.Step {
        let piece = framed(Data(repeating: UInt8(ascii: "x"), count: byteCount))
        return .drip(Data(Array(repeating: piece, count: count).joined()), chunk: piece.count, every: interval)
    }
}

extension RequestOperation {
    /// Whether the status is the error because the body was given up, not because a time limit passed. The underlying
    /// code is `timedOut` in both cases.
    var hasGivenUpBody: Bool {
        let reason = error?.underlying as? NetworkingError
        return code == .unacceptableStatus && reason?.code == .timedOut && reason?.timeLimit == .refusedBody
    }
}

extension TransferOptions {
    /// Only a total limit, which no test reaches unless an operation waits for an endless body.
    static var withoutIdleLimit: TransferOptions {
        TransferOptions {
            $0.timeouts.idle = .zero
            $0.timeouts.total = .seconds(30)
        }
    }

    /// Options without an idle limit that trust a test certificate.
    static func withoutIdleLimit(trusting certificate: TestCertificate?) throws -> TransferOptions {
        guard certificate != nil else { return withoutIdleLimit }
        var options = withoutIdleLimit
        options.securityPolicy = try TransferOptions.trustingTestAuthority.securityPolicy
        return options
    }
}

extension RequestOperationManager {
    /// A manager whose serializer accepts any content, and whose requests do not wait for one another.
    static func crowded(_ options: TransferOptions) -> RequestOperationManager {
        var configuration = Configuration()
        configuration.transferOptions = options
        configuration.maximumConcurrentTransferCount = 200
        configuration.maximumConcurrentTransferCountPerOrigin = 200
        let manager = RequestOperationManager(configuration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }

    /// Starts a GET for each URL.
    func start(_ urls: [URL]) -> [HTTPRequestOperation] { urls.map { started("GET", $0.absoluteString) } }
}
