// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A response serializer as operations hold it, with what is asked of it often: a serializer is a user's code, which
/// the network thread must not run.
final class ResolvedSerializer: Sendable {
    let serializer: any ResponseSerializer
    /// The serializer's.
    let validation: ResponseValidation
    /// Whether it delivers the body as it is.
    let isPlain: Bool

    init<Serializer: ResponseSerializer>(_ serializer: Serializer) {
        self.serializer = serializer
        validation = serializer.validation
        isPlain = Serializer.Value.self == Data.self && serializer.deliversBodyUnchanged
    }

    /// Delivers any body as it is, with the same statuses.
    var ofBodies: ResolvedSerializer {
        let codes = validation.acceptableStatusCodes
        return ResolvedSerializer(
            HTTPResponseSerializer(validation: ResponseValidation(acceptableStatusCodes: codes)))
    }
}
