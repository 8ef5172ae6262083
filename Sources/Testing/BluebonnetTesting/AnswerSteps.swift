// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// The steps of an answer as the client sees them, in order. A value without time or network.
struct AnswerSteps {
    /// The codes of errors that occur before any byte of the request is sent.
    private static let unsentCodes: [NetworkingError.Code] = [
        .badURL, .cannotFindHost, .cannotConnect, .notConnected, .secureConnectionFailed, .serverNotTrusted,
        .pinMismatch, .clientCertificateRejected,
    ]

    private(set) var steps: [SimulatedStep] = []

    init(_ answer: TestAnswer, to request: SentRequest) {
        if answer.delay > .zero { steps.append(.wait(answer.delay)) }
        if case .none(let failure) = answer.end {
            steps.append(Self.step(failure, request))
        } else {
            addResponse(RangeAnswer(answer, to: request).answer, request)
        }
    }

    /// Makes the steps of an answering block that has thrown an error.
    init(_ error: any Error, for request: SentRequest) {
        let known = error as? NetworkingError
        let text = "the block that answers \(request.method) \(request.target) has failed: \(error)"
        let failure = known ?? NetworkingError(.badServerResponse, text, underlying: error)
        steps = [Self.step(.error(failure), request)]
    }

    private static func step(_ failure: TestAnswer.Failure, _ request: SentRequest) -> SimulatedStep {
        switch failure {
        case .stall: .stall
        case .closed:
            .fail(NetworkingError(.connectionLost, "\(request.host) closed the connection before it answered"))
        case .neverConnects: .neverConnect
        case .error(let error): unsentCodes.contains(error.code) ? .refuse(error) : .fail(error)
        }
    }

    private static func fields(of answer: TestAnswer) -> HeaderFields {
        var fields = answer.headers
        let hasLength = fields.contains(name: "Content-Length") || fields.contains(name: "Transfer-Encoding")
        let needsNone = answer.status < 200 || answer.status == 204 || answer.status == 304
        if hasLength || needsNone { return fields }
        if answer.parts != nil || !answer.trailers.isEmpty {
            fields.add(name: "Transfer-Encoding", value: "chunked")
        } else {
            fields.add(name: "Content-Length", value: "\(answer.body.count)")
        }
        return fields
    }

    private mutating func addResponse(_ answer: TestAnswer, _ request: SentRequest) {
        steps.append(.head(status: answer.status, fields: Self.fields(of: answer)))
        let hasBody = request.method != "HEAD" && answer.status >= 200 && ![204, 304].contains(answer.status)
        if hasBody { addBody(of: answer, request) }
    }

    /// Adds the body up to its end, or up to the byte after which the answer ends.
    private mutating func addBody(of answer: TestAnswer, _ request: SentRequest) {
        var left = answer.end.byteCount
        for part in answer.parts ?? Self.pieces(of: answer) {
            switch part.kind {
            case .bytes(let data):
                let piece = data.prefix(left)
                if !piece.isEmpty { steps.append(.bytes(piece)) }
                left -= piece.count
                if piece.count < data.count { return end(answer.end, request) }
            case .silence(let duration): if left > 0 { steps.append(.wait(duration)) }
            case .cut: return end(.cut(0), request)
            case .stall: return end(.stall(0), request)
            }
        }
        if case .stall = answer.end { return end(answer.end, request) }
        if !answer.trailers.isEmpty { steps.append(.trailers(answer.trailers)) }
    }

    private mutating func end(_ end: TestAnswer.End, _ request: SentRequest) {
        guard case .cut = end else { return steps.append(.stall) }
        let text = "\(request.host) violated the protocol or its body is truncated: it closed the connection"
        steps.append(.fail(NetworkingError(.badServerResponse, text)))
    }

    /// Returns the parts of a body that is known as a whole.
    private static func pieces(of answer: TestAnswer) -> [TestAnswer.Part] {
        guard let pieces = answer.pieces else { return [.data(answer.body)] }
        var parts: [TestAnswer.Part] = []
        var rest = answer.body
        while !rest.isEmpty {
            if !parts.isEmpty, pieces.pause > .zero { parts.append(.pause(pieces.pause)) }
            parts.append(.data(rest.prefix(pieces.byteCount)))
            rest = rest.dropFirst(pieces.byteCount)
        }
        return parts
    }
}

extension TestAnswer.End {
    /// The number of body bytes after which the answer ends.
    fileprivate var byteCount: Int {
        switch self {
        case .complete, .none: .max
        case .cut(let byteCount), .stall(let byteCount): byteCount
        }
    }
}

extension SentRequest {
    fileprivate var host: String { url.host ?? "the server" }
}
