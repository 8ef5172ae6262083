// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

/// What a test answers to a request: a response, or a failure of the server or of the network, as a value.
///
/// ```swift
/// let slow = TestAnswer.json(["name": "Ada"]).delayed(by: .seconds(2))
/// let truncated = TestAnswer.data(picture, type: "image/png").cut(afterByteCount: 1_000)
/// ```
///
/// `Content-Length` is added, unless the header fields have it or `Transfer-Encoding`. Nothing is compressed: a body
/// with `Content-Encoding` has to be coded.
public struct TestAnswer: Sendable {
    /// How it ends.
    enum End: Sendable {
        case complete
        /// The connection is closed after so many bytes of the body.
        case cut(Int)
        /// Nothing comes after so many bytes of the body.
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
    /// The body, in the content coding that the header fields name.
    public var body: Data
    /// Whether a GET with `Range` gets status 206 and the bytes that it asks for, and 416 for bytes that there are not.
    /// An answer without `ETag` and `Last-Modified` gets an `ETag` of its bytes, so that the library can continue a
    /// response that was interrupted. Default false.
    public var answersRanges = false
    var delay = Duration.zero
    var pieces: (byteCount: Int, pause: Duration)?
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
    /// A response without a body.
    public static func status(_ status: Int, headers: HeaderFields = [:]) -> TestAnswer {
        TestAnswer(status: status, headers: headers)
    }

    /// A response with bytes.
    public static func data(_ data: Data, type: String = "application/octet-stream", status: Int = 200) -> TestAnswer {
        TestAnswer(status: status, headers: ["Content-Type": type], body: data)
    }

    /// A response with a text, in UTF-8.
    public static func text(_ text: String, type: String = "text/plain", status: Int = 200) -> TestAnswer {
        data(Data(text.utf8), type: type + "; charset=utf-8", status: status)
    }

    /// A response with a value as JSON, the members of objects in order of their names. A value that cannot be encoded
    /// lets the operation fail with `badServerResponse`.
    public static func json(_ value: some Encodable, status: Int = 200) -> TestAnswer { encoded(value, status) }

    /// A response with a JSON value, for instance a literal: `.json(["id": 17, "name": "Ada"])`.
    public static func json(_ value: JSONValue, status: Int = 200) -> TestAnswer { encoded(value, status) }

    /// A response with members of several types as JSON: `.json(["id": user.id, "name": "Ada"])`. Nil is `null`.
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

    /// A response with a file's bytes, which answers ranges. A file that cannot be read lets the operation fail with
    /// `badServerResponse`.
    public static func file(_ url: URL, type: String = "application/octet-stream") -> TestAnswer {
        do {
            return data(try Data(contentsOf: url), type: type).answeringRanges()
        } catch {
            let text = "the test's file cannot be read: \(url.path)"
            return failure(NetworkingError(.badServerResponse, text, underlying: error))
        }
    }

    /// A redirect.
    public static func redirect(to location: String, status: Int = 302) -> TestAnswer {
        TestAnswer(status: status, headers: ["Location": location])
    }
}

// MARK: - Failures

extension TestAnswer {
    /// The server takes the request and never answers: the operation ends by a time limit, or when it is cancelled.
    public static var stall: TestAnswer { TestAnswer(.stall) }

    /// The server closes the connection without an answer (`connectionLost`). It may have acted on the request.
    public static var closed: TestAnswer { TestAnswer(.closed) }

    /// The server refuses the connection (`cannotConnect`). Nothing of the request has left.
    public static var refused: TestAnswer {
        failure(NetworkingError(.cannotConnect, "no connection to the server: the test refuses it"))
    }

    /// Nothing answers the attempt to connect: the operation ends by the time limit `connect`.
    public static var neverConnects: TestAnswer { TestAnswer(.neverConnects) }

    /// The operation fails with an error. Codes that say that there was no connection, as `cannotFindHost` and
    /// `serverNotTrusted` do, stand for a request of which nothing has left; any other one for a request that may have
    /// reached its server.
    public static func failure(_ error: NetworkingError) -> TestAnswer { TestAnswer(.error(error)) }

    /// The answer, ended by the server after so many bytes of its body (`badServerResponse`, unless the body is not
    /// longer).
    public func cut(afterByteCount byteCount: Int) -> TestAnswer { with { $0.end = .cut(max(0, byteCount)) } }

    /// The answer, of which nothing comes after so many bytes of its body.
    public func stalling(afterByteCount byteCount: Int) -> TestAnswer {
        with { $0.end = .stall(max(0, byteCount)) }
    }
}

// MARK: - Pace

extension TestAnswer {
    /// The answer after a time, which counts against time limits. With a `TestClock` it is that clock's.
    public func delayed(by delay: Duration) -> TestAnswer { with { $0.delay = delay } }

    /// The answer with its body in pieces of so many bytes, 1 at least, and a pause between them.
    public func inPieces(ofByteCount byteCount: Int, every pause: Duration = .zero) -> TestAnswer {
        with { $0.pieces = (max(1, byteCount), pause) }
    }

    /// The answer with `answersRanges`.
    public func answeringRanges() -> TestAnswer { with { $0.answersRanges = true } }

    private func with(_ change: (inout TestAnswer) -> Void) -> TestAnswer {
        var copy = self
        change(&copy)
        return copy
    }
}
