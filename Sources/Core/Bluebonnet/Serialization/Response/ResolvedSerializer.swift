// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A response serializer as operations hold it, with what is asked of it often: a serializer is a user's code, which
/// the network thread must not run.
final class ResolvedSerializer: Sendable {
    let serializer: any ResponseSerializer
    /// The serializer's, or with the statuses that a call accepts.
    let validation: ResponseValidation
    /// The statuses that a call accepts; nil for the serializer's.
    let statusCodesOfCall: IndexSet?
    /// Whether it delivers the body as it is.
    let isPlain: Bool

    init<Serializer: ResponseSerializer>(_ serializer: Serializer) {
        self.serializer = serializer
        (validation, statusCodesOfCall) = (serializer.validation, nil)
        isPlain = Serializer.Value.self == Data.self && serializer.deliversBodyUnchanged
    }

    private init(_ other: ResolvedSerializer, _ statusCodes: IndexSet, ofCall isOfCall: Bool) {
        var validation = other.validation
        validation.acceptableStatusCodes = statusCodes
        (serializer, isPlain, self.validation) = (other.serializer, other.isPlain, validation)
        statusCodesOfCall = isOfCall ? statusCodes : nil
    }

    /// The serializer, with the statuses that a call accepts.
    func accepting(_ statusCodes: IndexSet) -> ResolvedSerializer {
        ResolvedSerializer(self, statusCodes, ofCall: true)
    }

    /// The serializer, with the statuses of redirects added, unless the call names its statuses.
    var acceptingRedirects: ResolvedSerializer {
        guard statusCodesOfCall == nil, let own = validation.acceptableStatusCodes else { return self }
        return ResolvedSerializer(self, own.union(ResponseHead.redirectStatusCodes), ofCall: false)
    }

    /// Delivers any body as it is, with the same statuses.
    var ofBodies: ResolvedSerializer {
        let codes = validation.acceptableStatusCodes
        return ResolvedSerializer(
            HTTPResponseSerializer(validation: ResponseValidation(acceptableStatusCodes: codes)))
    }
}
