// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch

/// Collects the quick preparations of one round of the event loop that have to run off the network thread, and runs
/// them in small groups, which saves most thread hops. Network thread only.
///
/// A preparation that uses the file system may block for any time, for example on an unreachable network file system:
/// only preparations with the same folder share a group.
final class PreparationRound: RoundEndTask {
    static let shared = NetworkBound(PreparationRound())

    /// Runs on the preparation queue; what it gives runs on the network thread then.
    typealias Item = @Sendable () -> Inbox.Work

    /// The most preparations of a group. Opening files may take longer.
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
