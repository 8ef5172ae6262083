// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// A check of a response that was accepted, before its value is made and its file moved into place. On a processing
/// queue.
///
/// - Parameters:
///   - body: nil if it was not kept in memory.
///   - byteCount: the size of the body.
/// - Throws: the error with which the operation ends.
package typealias ResponseCheck =
    @Sendable (_ head: ResponseHead, _ body: Data?, _ byteCount: Int64) throws(NetworkingError) -> Void

/// Stores a response serializer together with the properties that operations often read. A serializer may be the
/// program's code, which the network thread must not run.
final class ResolvedSerializer: Sendable {
    let serializer: any ResponseSerializer
    /// The serializer's validation, or the same with the statuses that a call accepts.
    let validation: ResponseValidation
    /// The statuses that a call accepts; nil if the call uses the serializer's statuses.
    let statusCodesOfCall: IndexSet?
    /// Whether the serializer delivers the body unchanged.
    let isPlain: Bool
    /// Only an operation whose digest is wanted has a check: others may be processed on the network thread.
    let check: ResponseCheck?

    init<Serializer: ResponseSerializer>(_ serializer: Serializer, check: ResponseCheck? = nil) {
        (self.serializer, self.check) = (serializer, check)
        (validation, statusCodesOfCall) = (serializer.validation, nil)
        isPlain = Serializer.Value.self == Data.self && serializer.deliversBodyUnchanged
    }

    private init(_ other: ResolvedSerializer, _ statusCodes: IndexSet, ofCall isOfCall: Bool) {
        var validation = other.validation
        validation.acceptableStatusCodes = statusCodes
        (serializer, isPlain, self.validation) = (other.serializer, other.isPlain, validation)
        check = other.check
        statusCodesOfCall = isOfCall ? statusCodes : nil
    }

    /// Returns the serializer with the statuses that a call accepts.
    func accepting(_ statusCodes: IndexSet) -> ResolvedSerializer {
        ResolvedSerializer(self, statusCodes, ofCall: true)
    }

    /// The serializer with the redirect statuses added, unless the call names its statuses.
    var acceptingRedirects: ResolvedSerializer {
        guard statusCodesOfCall == nil, let own = validation.acceptableStatusCodes else { return self }
        return ResolvedSerializer(self, own.union(ResponseHead.redirectStatusCodes), ofCall: false)
    }

    /// A serializer that delivers any body unchanged, with the same statuses.
    var ofBodies: ResolvedSerializer {
        let codes = validation.acceptableStatusCodes
        return ResolvedSerializer(
            HTTPResponseSerializer(validation: ResponseValidation(acceptableStatusCodes: codes)))
    }
}
