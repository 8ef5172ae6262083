// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch

/// Collects what has to be done off the network thread in one round of the event loop and is quick: a few at a time go
/// there and come back together, which spares most of the changes of thread. Network thread only.
///
/// What asks the file system may take any time, where the file system is another machine's that does not answer: only
/// what asks for the same folder goes together.
final class PreparationRound: RoundEndTask {
    static let shared = NetworkBound(PreparationRound())

    /// Runs on the preparation queue; what it gives runs on the network thread then.
    typealias Item = @Sendable () -> Inbox.Work

    /// So many are done one after the other; other threads do the next ones. Files may take longer to open.
    private static let groupCount = 8
    private static let fileGroupCount = 4
    private var items: [(item: Item, folder: Substring?)] = []

    /// - Parameter folder: where files are opened; nil when the file system is not asked.
    func add(folder: Substring? = nil, _ item: @escaping Item) {
        if items.isEmpty { NetworkThread.shared.eventLoop.atEndOfRound(.other, self) }
        items.append((item, folder))
    }

    func roundEnds() {
        var rest = items[...]
        items = []
        while let first = rest.first {
            let count = first.folder == nil ? Self.groupCount : Self.fileGroupCount
            let group = rest.prefix(count).prefix { $0.folder == first.folder }
            rest = rest.dropFirst(group.count)
            NetworkThread.shared.eventLoop.preparationCount += 1
            Queues.preparation.async { [group = group.map(\.item)] in
                let followUps = group.map { $0() }
                NetworkThread.shared.submit {
                    NetworkThread.shared.eventLoop.preparationCount -= 1
                    for followUp in followUps { followUp() }
                }
            }
        }
    }
}

@available(*, unavailable)
extension PreparationRound: Sendable {}
