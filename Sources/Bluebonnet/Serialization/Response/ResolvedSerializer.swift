// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A response serializer as operations hold it, with what is asked of it often: a serializer is a user's code, which
/// the network thread must not run.
final class ResolvedSerializer: Sendable {
    let serializer: any ResponseSerializer
    /// The serializer's, or with the statuses that a call accepts.
    let validation: ResponseValidation
    /// Whether it delivers the body as it is.
    let isPlain: Bool

    init<Serializer: ResponseSerializer>(_ serializer: Serializer) {
        self.serializer = serializer
        validation = serializer.validation
        isPlain = Serializer.Value.self == Data.self && serializer.deliversBodyUnchanged
    }

    private init(_ other: ResolvedSerializer, _ validation: ResponseValidation) {
        (serializer, isPlain, self.validation) = (other.serializer, other.isPlain, validation)
    }

    /// The serializer for other statuses.
    func accepting(_ statusCodes: IndexSet) -> ResolvedSerializer {
        var validation = validation
        validation.acceptableStatusCodes = statusCodes
        return ResolvedSerializer(self, validation)
    }

    /// The serializer, with the statuses of redirects added.
    var acceptingRedirects: ResolvedSerializer {
        guard let statusCodes = validation.acceptableStatusCodes else { return self }
        return accepting(statusCodes.union(ResponseHead.redirectStatusCodes))
    }

    /// Delivers any body as it is, with the same statuses.
    var ofBodies: ResolvedSerializer {
        let codes = validation.acceptableStatusCodes
        return ResolvedSerializer(
            HTTPResponseSerializer(validation: ResponseValidation(acceptableStatusCodes: codes)))
    }
}
