// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A response serializer as operations hold it, with what is asked of it often: copying one, and finding out of what
/// kind it is, costs more than most of what is done for a small request.
final class ResolvedSerializer: Sendable {
    let serializer: any ResponseSerializer
    /// The serializer's, asked for once: it is a user's code, which the network thread must not run.
    let validation: ResponseValidation
    /// Whether it delivers the body as it is.
    let isPlain: Bool
    /// The serializer, when it needs no response of Foundation's.
    let viewSerializer: (any ResponseViewSerializer)?
    /// Whether it is a value of the library's, whose validation cannot change.
    private let isConstant: Bool

    init(_ serializer: any ResponseSerializer) {
        self.serializer = serializer
        validation = serializer.validation
        isPlain = serializer is HTTPResponseSerializer
        viewSerializer = isPlain ? nil : serializer as? any ResponseViewSerializer
        isConstant = isPlain || viewSerializer != nil
    }

    /// Holds a serializer of the library whose kind is known, which saves the casts.
    init(ofLibrary serializer: some ResponseViewSerializer) {
        self.serializer = serializer
        validation = serializer.validation
        isPlain = false
        viewSerializer = serializer
        isConstant = true
    }

    /// Holds a serializer of raw bodies; saves the casts.
    init(ofLibrary serializer: HTTPResponseSerializer) {
        self.serializer = serializer
        validation = serializer.validation
        isPlain = true
        viewSerializer = nil
        isConstant = true
    }

    /// Delivers any body as it is, with the same statuses.
    var ofBodies: ResolvedSerializer {
        let codes = validation.acceptableStatusCodes
        return ResolvedSerializer(
            ofLibrary: HTTPResponseSerializer(validation: ResponseValidation(acceptableStatusCodes: codes)))
    }

    /// This one, unless its validation has to be asked for anew.
    var forNewOperation: ResolvedSerializer { isConstant ? self : ResolvedSerializer(serializer) }
}
