// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// The observed transfers of a partition whose request is leaving libcurl: asked after each call of libcurl, because
/// libcurl has no callback for sent bytes except its log. Empty without event monitors. Network thread only.
struct SendingTransfers {
    private var transfers: [CurlTransfer] = []

    /// - Parameter transfer: a transfer that may be there already.
    mutating func add(_ transfer: CurlTransfer) {
        if !transfers.contains(where: { $0 === transfer }) { transfers.append(transfer) }
    }

    mutating func remove(_ transfer: CurlTransfer) {
        if !transfers.isEmpty { transfers.removeAll { $0 === transfer } }
    }

    /// Reports what has left libcurl, and forgets the transfers that have nothing more to report for now.
    mutating func endCall() {
        if !transfers.isEmpty { transfers.removeAll { !$0.reportSentParts() } }
    }
}

@available(*, unavailable)
extension SendingTransfers: Sendable {}

/// The parts of its request that an observed transfer has reported as sent.
struct SentReports {
    fileprivate var hasHead = false
    fileprivate var hasEnd = false
}

extension CurlTransfer {
    /// Reports the parts of the request that libcurl has passed to the connection since the last report.
    ///
    /// libcurl counts the bytes of a head that it has written (CURLINFO_REQUEST_SIZE), and writes a head at once if
    /// the socket takes it (`CutHead`).
    ///
    /// - Returns: whether to ask again after the next call.
    fileprivate func reportSentParts() -> Bool {
        if !sentReports.hasHead {
            guard handle.long(CURLINFO_REQUEST_SIZE) > 0 else { return true }
            sentReports.hasHead = true
            observer?.transferDidSend(.head)
        }
        guard !request.body.isEmpty else { return false }
        reportSentBytes()
        guard request.copiedBody != nil || machine.upload.isHandedOver(of: request.body.byteCount) else { return false }
        let isSent = machine.upload.isWholeBodySent(of: request.body.byteCount, sentByteCount)
        if isSent, request.body.byteCount == nil, !sentReports.hasEnd {
            sentReports.hasEnd = true
            observer?.transferDidSend(.endOfBody(byteCount: machine.upload.readByteCount))
        }
        return !isSent
    }
}
