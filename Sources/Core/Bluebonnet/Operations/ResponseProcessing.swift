// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// Makes an operation's outcome from the result of its transfers: computes the digest, validates, serializes, and moves
/// the file into place. On a processing queue, or on the network thread; a value that does not reference the operation.
struct ResponseProcessing {
    let serializer: ResolvedSerializer
    let expectedDigest: String?
    let wantsDigest: Bool

    func outcome(from transfer: Box<TransferResult>) -> OperationOutcome {
        let result = transfer.value
        var digest: String?
        do throws(NetworkingError) {
            if wantsDigest || expectedDigest != nil { digest = try self.digest(of: result.content) }
            if let error = result.error { throw error }
            try validate(result)
            if let expectedDigest { try check(digest, against: expectedDigest, in: result) }
            if let check = serializer.check, let head = result.head {
                let body: Data? = if case .memory(let data) = result.content { data } else { nil }
                let isEmpty = body == nil && result.receivedByteCount == 0
                try check(head, isEmpty ? Data() : body, result.receivedByteCount)
            }
            if case .file(let file, _) = result.content {
                let place = try result.moveIntoPlace(file)
                return OperationOutcome(transfer, value: place, downloadedFile: place, digest: digest)
            }
            if case .device(let device) = result.content {
                return OperationOutcome(transfer, value: device.place, downloadedFile: device.place, digest: digest)
            }
            return OperationOutcome(transfer, value: try value(of: result), digest: digest)
        } catch {
            giveUpFile(result, error: error)
            return OperationOutcome(transfer, error: withBody(error, result), digest: digest)
        }
    }

    private func validate(_ result: TransferResult) throws(NetworkingError) {
        guard let head = result.head else { return }
        let refusal = serializer.validation.refusal(
            status: result.isContinued ? 200 : head.statusCode, contentType: head.contentType,
            bodyIsEmpty: result.receivedByteCount == 0, hasNoBody: !typeCounts(result))
        guard var refusal else { return }
        if head.statusCode == 407 {
            throw NetworkingError(.authenticationRequired, "the proxy requires a credential, or rejected the one sent")
        }
        if result.isCredentialRefused {
            throw NetworkingError(.authenticationRequired, "the server does not accept the credential")
        }
        if let bodyError = result.bodyError { refusal.underlying = bodyError }
        if case .retryAfterTooLong(let date)? = result.retryStop { throw Self.tooLong(refusal, until: date) }
        throw refusal
    }

    private static func tooLong(_ refusal: NetworkingError, until date: Date) -> NetworkingError {
        let time = date.ISO8601Format()
        var error = NetworkingError(
            .retryAfterTooLong, "\(refusal.message), and asked for no retry before \(time)",
            underlying: refusal)
        error.retryDate = date
        return error
    }

    /// Whether the content type of a response is validated. It is not if the response has no body by its method or
    /// status. It is not either if the body went to a file or a stream, because no value is made from such a body. A
    /// plain serializer makes no value from any body, so its content types are validated in that case too.
    private func typeCounts(_ result: TransferResult) -> Bool {
        switch result.content {
        case .file, .stream, .device: return serializer.isPlain
        case .none, .memory: break
        }
        guard result.receivedByteCount == 0 else { return true }
        let isHead = result.request?.method == "HEAD"
        return !isHead && ![204, 205, 304].contains(result.head?.statusCode ?? 0)
    }

    private func value(of result: TransferResult) throws(NetworkingError) -> any Sendable {
        let body: Data = if case .memory(let data) = result.content { data } else { Data() }
        if serializer.isPlain { return body }
        if case .stream = result.content { return body }  // the body was streamed: no value can be made from it
        guard let head = result.head else { return body }
        return try serializer.serializer.checkedValue(for: head, body: body)
    }

    private func digest(of content: TransferResult.Content) throws(NetworkingError) -> String? {
        switch content {
        case .none: MessageDigest.hexadecimalDigest(of: Data())
        case .memory(let data): MessageDigest.hexadecimalDigest(of: data)
        case .file(let file, _): try file.digest()
        case .device(let device): device.digest
        case .stream: nil
        }
    }

    private func check(_ digest: String?, against expected: String, in result: TransferResult) throws(NetworkingError) {
        guard digest != expected.lowercased() else { return }
        throw NetworkingError(
            .digestMismatch,
            "the body's SHA-256 is \(digest ?? "unknown"), not \(expected.lowercased())")
    }

    /// Keeps a file that can be continued, and removes any other file. A body with the wrong digest cannot be continued
    /// to the right body.
    private func giveUpFile(_ result: TransferResult, error: NetworkingError) {
        guard case .file(let file, let canContinue) = result.content else { return }
        file.keepOrRemove(canContinue: canContinue && result.error != nil && error.code != .digestMismatch)
    }

    private func withBody(_ error: NetworkingError, _ result: TransferResult) -> NetworkingError {
        var error = error
        if error.body == nil, case .memory(let data) = result.content { error.body = data }
        return error
    }
}
