// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A transfer whose request is leaving libcurl.
protocol SendingTransfer: AnyObject {
    /// Reports the parts of the request that libcurl has passed to the connection since the last report.
    ///
    /// - Returns: whether to ask again after the next call.
    func reportSentParts() -> Bool
}

/// The observed transfers of a partition whose request is leaving libcurl: asked after each call of libcurl, because
/// libcurl has no callback for sent bytes except its log. Empty without event monitors. Network thread only.
struct SendingTransfers {
    private var transfers: [any SendingTransfer] = []

    /// - Parameter transfer: a transfer that may be there already.
    mutating func add(_ transfer: any SendingTransfer) {
        if !transfers.contains(where: { $0 === transfer }) { transfers.append(transfer) }
    }

    mutating func remove(_ transfer: any SendingTransfer) {
        if !transfers.isEmpty { transfers.removeAll { $0 === transfer } }
    }

    /// Reports what has left libcurl, and forgets the transfers that have nothing more to report for now.
    mutating func endCall() {
        if !transfers.isEmpty { transfers.removeAll { !$0.reportSentParts() } }
    }
}

@available(*, unavailable)
extension SendingTransfers: Sendable {}
