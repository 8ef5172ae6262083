// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

/// The request of a call that needs the results of other operations, for the closure that prepares the request.
///
/// ```swift
/// manager.call("POST", "orders").after(login, basket) { request, token, basket in
///     request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
///     request.httpBody = try JSONEncoder().encode(basket)
/// }.start()
/// ```
///
/// All properties of `URLRequest` can be read and set here. This is a class, so that a closure with any number of
/// results needs no type annotations. Use it inside the closure only: later changes have no effect.
@dynamicMemberLookup
public final class DependentRequest {
    /// The request as it is sent.
    public var urlRequest: URLRequest

    init(_ urlRequest: URLRequest) { self.urlRequest = urlRequest }

    /// A property of the request.
    public subscript<Value>(dynamicMember property: WritableKeyPath<URLRequest, Value>) -> Value {
        get { urlRequest[keyPath: property] }
        set { urlRequest[keyPath: property] = newValue }
    }

    /// The value of a header field; nil without the field. The name's case does not matter.
    public func value(forHTTPHeaderField name: String) -> String? { urlRequest.value(forHTTPHeaderField: name) }

    /// Replaces a header field; nil removes it.
    public func setValue(_ value: String?, forHTTPHeaderField name: String) {
        urlRequest.setValue(value, forHTTPHeaderField: name)
    }

    /// Appends a value to a header field, after a comma if the field has a value.
    public func addValue(_ value: String, forHTTPHeaderField name: String) {
        urlRequest.addValue(value, forHTTPHeaderField: name)
    }
}

@available(*, unavailable)
extension DependentRequest: Sendable {}
