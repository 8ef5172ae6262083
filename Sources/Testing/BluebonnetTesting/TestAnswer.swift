// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

/// The answer of a test to a request: a response, or an error of the server or the network, as a value.
///
/// ```swift
/// let slow = TestAnswer.json(["name": "Ada"]).delayed(by: .seconds(2))
/// let truncated = TestAnswer.data(picture, type: "image/png").cut(afterByteCount: 1_000)
/// let feed = TestAnswer.stream(.line("one"), .pause(.seconds(5)), .line("two"), .cut)
/// ```
///
/// `Content-Length` is added, unless the header fields contain it or `Transfer-Encoding`. Bodies are not compressed: a
/// body with `Content-Encoding` must already be encoded.
public struct TestAnswer: Sendable {
    /// The end of an answer.
    enum End: Sendable {
        case complete
        /// The connection is closed after this number of body bytes.
        case cut(Int)
        /// Nothing is sent after this number of body bytes.
        case stall(Int)
        /// There is no response.
        case none(Failure)
    }

    enum Failure: Sendable {
        case stall
        case closed
        case neverConnects
        case error(NetworkingError)
    }

    /// The status code.
    public var status: Int
    /// The header fields.
    public var headers: HeaderFields
    /// The body, in the content coding that the header fields name; empty for a streamed answer.
    public var body: Data
    /// Whether a GET with `Range` gets status 206 and the requested bytes, or 416 if the body does not have them. An
    /// answer without `ETag` and `Last-Modified` gets an `ETag` computed from its bytes, so that the library can
    /// continue an interrupted response. Default false.
    public var answersRanges = false
    var delay = Duration.zero
    var pieces: (byteCount: Int, pause: Duration)?
    /// The parts of a streamed answer, which has no `body`; nil for any other answer.
    var parts: [Part]?
    var trailers = HeaderFields()
    var end = End.complete

    /// Makes an answer with a response.
    public init(status: Int = 200, headers: HeaderFields = [:], body: Data = Data()) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    private init(_ failure: Failure) {
        self.init()
        end = .none(failure)
    }
}

// MARK: - Responses

extension TestAnswer {
    /// Returns a response without a body.
    public static func status(_ status: Int, headers: HeaderFields = [:]) -> TestAnswer {
        TestAnswer(status: status, headers: headers)
    }

    /// Returns a response with bytes.
    public static func data(_ data: Data, type: String = "application/octet-stream", status: Int = 200) -> TestAnswer {
        TestAnswer(status: status, headers: ["Content-Type": type], body: data)
    }

    /// Returns a response with a text, in UTF-8.
    public static func text(_ text: String, type: String = "text/plain", status: Int = 200) -> TestAnswer {
        data(Data(text.utf8), type: type + "; charset=utf-8", status: status)
    }

    /// Returns a response with a value as JSON. Members of objects are sorted by name. If the value cannot be encoded,
    /// the operation fails with `badServerResponse`.
    public static func json(_ value: some Encodable, status: Int = 200) -> TestAnswer { encoded(value, status) }

    /// Returns a response with a JSON value, for example a literal: `.json(["id": 17, "name": "Ada"])`.
    public static func json(_ value: JSONValue, status: Int = 200) -> TestAnswer { encoded(value, status) }

    /// Returns a response with members of several types as JSON: `.json(["id": user.id, "name": "Ada"])`. Nil becomes
    /// `null`.
    @_disfavoredOverload
    public static func json(_ members: [String: (any Encodable & Sendable)?], status: Int = 200) -> TestAnswer {
        encoded(JSONMembers(members), status)
    }

    private static func encoded(_ value: some Encodable, _ status: Int) -> TestAnswer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return data(try encoder.encode(value), type: "application/json", status: status)
        } catch {
            return failure(NetworkingError(.badServerResponse, "the test's JSON cannot be encoded", underlying: error))
        }
    }

    /// Returns a response with a file's bytes, which answers ranges. If the file cannot be read, the operation fails
    /// with `badServerResponse`.
    public static func file(_ url: URL, type: String = "application/octet-stream") -> TestAnswer {
        do {
            return data(try Data(contentsOf: url), type: type).answeringRanges()
        } catch {
            let text = "the test's file cannot be read: \(url.path)"
            return failure(NetworkingError(.badServerResponse, text, underlying: error))
        }
    }

    /// Returns a redirect.
    public static func redirect(to location: String, status: Int = 302) -> TestAnswer {
        TestAnswer(status: status, headers: ["Location": location])
    }
}

// MARK: - Failures

extension TestAnswer {
    /// The server receives the request and never answers: the operation ends at a time limit, or when it is cancelled.
    public static var stall: TestAnswer { TestAnswer(.stall) }

    /// The server closes the connection without an answer (`connectionLost`). The server may have processed the
    /// request.
    public static var closed: TestAnswer { TestAnswer(.closed) }

    /// The server refuses the connection (`cannotConnect`). No byte of the request was sent.
    public static var refused: TestAnswer {
        failure(NetworkingError(.cannotConnect, "no connection to the server: the test refuses it"))
    }

    /// The attempt to connect is never answered: the operation ends at the time limit `connect`.
    public static var neverConnects: TestAnswer { TestAnswer(.neverConnects) }

    /// Returns an answer that makes the operation fail with an error. Codes of failed connections, such as
    /// `cannotFindHost` and `serverNotTrusted`, mean that no byte of the request was sent; with any other code, the
    /// request may have reached the server.
    public static func failure(_ error: NetworkingError) -> TestAnswer { TestAnswer(.error(error)) }

    /// Returns the answer, cut off by the server after `byteCount` bytes of its body (`badServerResponse`, unless the
    /// body is not longer).
    public func cut(afterByteCount byteCount: Int) -> TestAnswer { with { $0.end = .cut(max(0, byteCount)) } }

    /// Returns the answer, of which nothing arrives after `byteCount` bytes of its body.
    public func stalling(afterByteCount byteCount: Int) -> TestAnswer {
        with { $0.end = .stall(max(0, byteCount)) }
    }
}

// MARK: - Pace

extension TestAnswer {
    /// Returns the answer, delayed by a time that counts against time limits. With a `TestClock`, the delay follows
    /// that clock.
    public func delayed(by delay: Duration) -> TestAnswer { with { $0.delay = delay } }

    /// Returns the answer with its body in pieces of `byteCount` bytes, at least 1, and a pause between them.
    public func inPieces(ofByteCount byteCount: Int, every pause: Duration = .zero) -> TestAnswer {
        with { $0.pieces = (max(1, byteCount), pause) }
    }

    /// Returns the answer with `answersRanges` set.
    public func answeringRanges() -> TestAnswer { with { $0.answersRanges = true } }

    func with(_ change: (inout TestAnswer) -> Void) -> TestAnswer {
        var copy = self
        change(&copy)
        return copy
    }
}
