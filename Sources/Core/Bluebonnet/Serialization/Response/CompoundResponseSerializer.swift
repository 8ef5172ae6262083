// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Tries several serializers in order; the first serializer that accepts the response and can parse its body makes the
/// value.
///
/// A plain `HTTPResponseSerializer` accepts any body, so put it last: it delivers the bodies that no other serializer
/// can parse. If no serializer makes a value, the operation fails; the error's `underlying` is a `CompoundFailure` with
/// each serializer's error. An empty body gets its value from the first serializer that accepts it.
public struct CompoundResponseSerializer: ResponseSerializer {
    /// The serializers, in the order in which they are tried.
    public let serializers: [any ResponseSerializer]

    /// Accepts every status that at least one of the serializers accepts, with any content type.
    public let validation: ResponseValidation

    /// Makes a serializer from at least one serializer.
    public init(_ serializers: [any ResponseSerializer]) {
        precondition(!serializers.isEmpty, "a compound serializer needs at least one serializer")
        self.serializers = serializers
        let codes = serializers.map(\.validation.acceptableStatusCodes)
        validation = ResponseValidation(
            acceptableStatusCodes: codes.contains(nil)
                ? nil : codes.compactMap { $0 }.reduce(into: IndexSet()) { $0.formUnion($1) })
    }

    public func value(for response: ResponseHead, body: Data) throws(NetworkingError) -> any Sendable {
        var errors: [NetworkingError] = []
        for serializer in serializers {
            do throws(NetworkingError) {
                return try value(of: serializer, response, body)
            } catch {
                errors.append(error)
            }
        }
        throw CompoundFailure(errors: errors).summary(response, body)
    }

    /// The call may accept statuses that no serializer accepts.
    private func value(
        of serializer: some ResponseSerializer, _ response: ResponseHead, _ body: Data
    ) throws(NetworkingError) -> any Sendable {
        var own = serializer.validation
        if !validation.accepts(status: response.statusCode) { own.acceptableStatusCodes = nil }
        let refusal = own.refusal(
            status: response.statusCode, contentType: response.contentType, bodyIsEmpty: body.isEmpty,
            hasNoBody: body.isEmpty && response.mayLackBody)
        if let refusal { throw refusal }
        return try serializer.checkedValue(for: response, body: body)
    }
}

/// The errors of the serializers in a compound, if none made a value.
public struct CompoundFailure: Error, Sendable, CustomStringConvertible {
    /// One error for each serializer, in their order.
    public let errors: [NetworkingError]

    public var description: String { errors.map(\.message).joined(separator: "; ") }

    /// Returns the error of the compound, with the code of the first serializer that looked into the body, or else of
    /// the first serializer.
    fileprivate func summary(_ response: ResponseHead, _ body: Data) -> NetworkingError {
        let refusals: [NetworkingError.Code] = [.unacceptableStatus, .unacceptableContentType]
        let code = (errors.first { !refusals.contains($0.code) } ?? errors.first)?.code ?? .cannotParseResponse
        return NetworkingError(
            code, "no serializer could read the response: \(self)", response: response.urlResponse, body: body,
            underlying: self)
    }
}
