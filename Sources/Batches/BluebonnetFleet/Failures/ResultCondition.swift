// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetBatch
public import Foundation

/// A condition on the results of a batch, in the language of JSONPath's filters (RFC 9535, 2.3.5). A value type.
///
/// ```swift
/// let busy = try ResultCondition("@.status == 503 || @.code == 'timedOut'")
/// try await fleet.retryFailed("nightly", where: busy)
/// ```
///
/// `@` is the result line. In addition to its members it has the `code` and the `message` of its `error`, and `origin`:
/// the scheme, host and port of the line's URL.
public struct ResultCondition: Sendable, Hashable {
    /// Why a text is not a condition.
    public struct ParseError: Error, Sendable, Hashable {
        /// The mistake and its place, as a sentence without a full stop.
        public let message: String
    }

    private static let (start, end) = ("$[?(", ")]")

    /// The condition as written.
    public let description: String
    private let path: JSONPath

    /// Parses a condition.
    public init(_ text: String) throws(ParseError) {
        description = text
        do throws(JSONPathError) {
            path = try JSONPath(Self.start + text + Self.end)
        } catch {
            let offset = min(max(0, error.offset - Self.start.utf8.count), text.utf8.count)
            throw ParseError(message: "\(error.reason) at byte \(offset)")
        }
    }

    /// The results with one of some error codes.
    ///
    /// - Parameter codes: the codes; letters and digits only.
    /// - Throws: an error if a text is no code.
    public init(codes: [String]) throws(ParseError) {
        for code in codes where code.isEmpty || !code.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) {
            throw ParseError(message: "\"\(code)\" is no error code: a code has letters only, such as timedOut")
        }
        try self.init(codes.map { "@.code == '\($0)'" }.joined(separator: " || "))
    }

    /// Both conditions.
    public func and(_ other: ResultCondition) throws(ParseError) -> ResultCondition {
        try ResultCondition("(\(description)) && (\(other.description))")
    }

    /// Whether a result meets the condition.
    ///
    /// - Throws: `notPossible` if the condition needs too much work for the result.
    func holds(for result: StoredResult) throws(FleetError) -> Bool {
        guard case .object(var members)? = try? JSONValue(parsing: result.line) else { return false }
        let error = members["error"]
        for name in ["code", "message"] { members[name] = error?[name] }
        members["origin"] = .string(result.origin)
        do throws(JSONPathLimitError) {
            return try !path.values(in: .array([.object(members)])).isEmpty
        } catch {
            throw FleetError(.notPossible, "the condition \(description) needs too much work: \(error.reason)")
        }
    }
}

extension ResultCondition: CustomStringConvertible {}

extension ResultCondition.ParseError: LocalizedError, CustomStringConvertible {
    /// The message.
    public var errorDescription: String? { message }
    /// The message.
    public var description: String { message }
}
