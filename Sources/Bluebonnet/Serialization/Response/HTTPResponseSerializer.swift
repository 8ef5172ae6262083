// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Delivers the body as it is, after the status has been checked (and the content type, if `validation` names some).
public struct HTTPResponseSerializer: ResponseSerializer {
    public var validation: ResponseValidation

    /// Makes a serializer; without arguments it accepts statuses from 200 to 299 with any content type.
    public init(validation: ResponseValidation = ResponseValidation()) {
        self.validation = validation
    }

    public func value(for response: ResponseHead, body: Data) -> Data { body }

    /// True.
    public var deliversBodyUnchanged: Bool { true }
}
