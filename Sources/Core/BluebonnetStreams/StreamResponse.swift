// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

/// A response whose body is read while it arrives. Made by `Call.stream(bufferByteCount:)`.
///
/// ```swift
/// let response = try await manager.stream("feed")
/// print(response.statusCode)
/// for try await line in response.lines { print(line) }
/// ```
///
/// The body can be iterated once, in one of its forms. The connection is read only as fast as the body is consumed.
/// Leaving the loop early, cancelling the task, and releasing a response that was not iterated cancel the operation. A
/// body that is cut ends with an error, never as if it were complete.
public struct StreamResponse: Sendable {
    /// The operation, to pause, resume or cancel it.
    public let operation: HTTPRequestOperation
    /// The head of the response.
    public let head: ResponseHead
    /// The bytes of the body, in the pieces in which they arrive.
    public let body: BodyChunks

    /// The status.
    public var statusCode: Int { head.statusCode }
    /// The header fields.
    public var headers: HeaderFields { head.headers }
    /// The URL of the response, after redirects.
    public var url: URL { head.url }
    /// The trailer section (RFC 9110, 6.5), after the end of the body; empty before, and without one.
    public var trailers: HeaderFields { operation.isFinished ? operation.summary.trailers : HeaderFields() }
}

extension StreamResponse {
    /// The lines of the body in UTF-8, without their ends (LF, or CR and LF). A last line without an end counts. A line
    /// has at most 16 MiB; see `lines(byteLimit:)`.
    public var lines: ResponseItems<String> { lines(byteLimit: LineDecoder.usualByteLimit) }

    /// The lines of the body.
    ///
    /// - Parameter byteLimit: the maximum length of a line in bytes. A longer line is the error `cannotParseResponse`.
    public func lines(byteLimit: Int) -> ResponseItems<String> {
        ResponseItems { StreamReader(self, LineDecoder(byteLimit: byteLimit)) }
    }

    /// The lines of the body as bytes, which need not be UTF-8. Otherwise as `lines`.
    package var lineBytes: ResponseItems<[UInt8]> {
        ResponseItems { StreamReader(self, LineBytesDecoder(byteLimit: LineDecoder.usualByteLimit)) }
    }

    /// The values of a body with one JSON text in each line (NDJSON), or of a JSON text sequence (RFC 7464): the
    /// content type `application/json-seq`, or a body that begins with a record separator. Empty lines are ignored.
    ///
    /// - Parameters:
    ///   - type: the type of a value.
    ///   - decoder: default: a `JSONDecoder` with its default settings.
    public func jsonLines<Value: Decodable & Sendable>(
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) -> ResponseItems<Value> {
        let format = JSONLinesDecoder.Format(contentType: headers["Content-Type"])
        return ResponseItems {
            JSONTextReader(texts: StreamReader(self, JSONLinesDecoder(format: format)), decoder: decoder)
        }
    }

    /// The events of a body in the format `text/event-stream` (HTML standard, 9.2), whatever its content type. An event
    /// without the empty line after it is dropped at the end of the body. For reconnections, use
    /// `RequestOperationManager.events(_:policy:)`.
    public var events: ResponseItems<ServerSentEvent> {
        ResponseItems { StreamReader(self, EventStreamDecoder()) }
    }
}

extension StreamResponse: CustomStringConvertible {
    /// Status, method and URL, for logs.
    public var description: String { "\(head)" }
}
