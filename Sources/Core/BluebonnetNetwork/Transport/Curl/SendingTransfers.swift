// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// The observed transfers of a partition whose request is leaving libcurl: asked after each call of libcurl, because
/// libcurl has no callback for sent bytes except its log. Empty without event monitors. Network thread only.
struct SendingTransfers {
    private struct Entry {
        let transfer: CurlTransfer
        var isHeadReported: Bool
    }

    private var entries: [Entry] = []

    /// Records that libcurl is about to send a request, for the first time or again.
    mutating func begin(_ transfer: CurlTransfer) {
        remove(transfer)
        entries.append(Entry(transfer: transfer, isHeadReported: false))
    }

    /// Records that libcurl has read the whole body of a request.
    mutating func bodyWasRead(by transfer: CurlTransfer) {
        guard !entries.contains(where: { $0.transfer === transfer }) else { return }
        entries.append(Entry(transfer: transfer, isHeadReported: true))
    }

    mutating func remove(_ transfer: CurlTransfer) {
        if !entries.isEmpty { entries.removeAll { $0.transfer === transfer } }
    }

    /// Reports the parts that have left libcurl, and forgets the transfers that have nothing more to report for now.
    mutating func endCall() {
        for index in entries.indices.reversed() {
            let transfer = entries[index].transfer
            if transfer.reportSentParts(isHeadReported: &entries[index].isHeadReported) { entries.remove(at: index) }
        }
    }
}

@available(*, unavailable)
extension SendingTransfers: Sendable {}

extension CurlTransfer {
    /// Reports the parts of the request that libcurl has passed to the connection since the last report.
    ///
    /// libcurl counts the bytes of a head that it has written (CURLINFO_REQUEST_SIZE), and writes a head at once if
    /// the socket takes it (`CutHead`).
    ///
    /// - Returns: whether there is nothing more to report for now. A body is asked for once libcurl has read it.
    fileprivate func reportSentParts(isHeadReported: inout Bool) -> Bool {
        if !isHeadReported {
            guard handle.long(CURLINFO_REQUEST_SIZE) > 0 else { return false }
            isHeadReported = true
            observer?.transferDidSend(.head)
        }
        guard !request.body.isEmpty else { return true }
        reportSentBytes()
        let byteCount = request.body.byteCount
        guard request.copiedBody != nil || machine.upload.isHandedOver(of: byteCount) else { return true }
        guard machine.upload.isWholeBodySent(of: byteCount, sentByteCount) else { return false }
        if byteCount == nil { observer?.transferDidSend(.endOfBody(byteCount: machine.upload.readByteCount)) }
        return true
    }
}
