// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch

/// Collects what has to be done off the network thread in one round of the event loop, is quick and waits for nobody, no
/// file system either: a few at a time go there and come back together, which spares most of the changes of thread.
/// Network thread only.
final class PreparationRound: RoundEndTask {
    static let shared = NetworkBound(PreparationRound())

    /// Runs on the preparation queue; what it gives runs on the network thread then.
    typealias Item = @Sendable () -> Inbox.Work

    /// So many are done one after the other; other threads do the next ones.
    private static let groupCount = 8
    private var items: [Item] = []

    func add(_ item: @escaping Item) {
        if items.isEmpty { NetworkThread.shared.eventLoop.atEndOfRound(.other, self) }
        items.append(item)
    }

    func roundEnds() {
        let all = items
        items = []
        for start in stride(from: 0, to: all.count, by: Self.groupCount) {
            let group = Array(all[start..<min(start + Self.groupCount, all.count)])
            Queues.preparation.async {
                let followUps = group.map { $0() }
                NetworkThread.shared.submit {
                    for followUp in followUps { followUp() }
                }
            }
        }
    }
}

@available(*, unavailable)
extension PreparationRound: Sendable {}
