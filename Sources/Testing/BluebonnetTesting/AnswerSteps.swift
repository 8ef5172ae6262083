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
        if !hasLength, !needsNone { fields.add(name: "Content-Length", value: "\(answer.body.count)") }
        return fields
    }

    private mutating func addResponse(_ answer: TestAnswer, _ request: SentRequest) {
        steps.append(.head(status: answer.status, fields: Self.fields(of: answer)))
        let hasBody = request.method != "HEAD" && answer.status >= 200 && ![204, 304].contains(answer.status)
        if hasBody { addBody(of: answer, request) }
    }

    private mutating func addBody(of answer: TestAnswer, _ request: SentRequest) {
        switch answer.end {
        case .complete, .none: addPieces(of: answer.body, answer)
        case .stall(let byteCount):
            addPieces(of: answer.body.prefix(byteCount), answer)
            steps.append(.stall)
        case .cut(let byteCount):
            addPieces(of: answer.body.prefix(byteCount), answer)
            guard byteCount < answer.body.count else { return }
            let text = "\(request.host) violated the protocol or its body is truncated: it closed the connection"
            steps.append(.fail(NetworkingError(.badServerResponse, text)))
        }
    }

    private mutating func addPieces(of body: Data, _ answer: TestAnswer) {
        guard let pieces = answer.pieces else {
            if !body.isEmpty { steps.append(.bytes(body)) }
            return
        }
        var rest = body
        while !rest.isEmpty {
            steps.append(.bytes(rest.prefix(pieces.byteCount)))
            rest = rest.dropFirst(pieces.byteCount)
            if !rest.isEmpty, pieces.pause > .zero { steps.append(.wait(pieces.pause)) }
        }
    }
}

extension SentRequest {
    fileprivate var host: String { url.host ?? "the server" }
}
