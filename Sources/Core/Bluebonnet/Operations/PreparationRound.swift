// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch

/// Does work off the network thread for operations. Collects the quick pieces of work of one round of the event loop
/// and runs them in small groups, which saves most thread hops. Network thread only.
final class PreparationRound: RoundEndTask {
    /// Runs on a preparation queue or a blocking queue; its result runs on the event loop's thread then.
    typealias Item = @Sendable () -> Inbox.Work

    /// What a piece of work may share a thread hop with.
    enum Group: Equatable {
        /// It runs user code, or may take any time: with nothing.
        case alone
        /// It is quick and asks no file system.
        case quick
        /// It may block for any time, as on an unreachable network file system: only with work in the same folder.
        case files(in: Substring)
    }

    /// The most pieces of a group. Opening files may take longer.
    private static let groupCount = 8
    private static let fileGroupCount = 4
    private let loop: EventLoop
    private var items: [(item: Item, group: Group)] = []

    init(loop: EventLoop) { self.loop = loop }

    func add(to group: Group, _ item: @escaping Item) {
        if group == .alone { return Queues.blocking.async { [inbox = loop.inbox] in inbox.submit(item()) } }
        if items.isEmpty { loop.atEndOfRound(.other, self) }
        items.append((item, group))
    }

    func roundEnds() {
        var rest = items[...]
        items = []
        while let first = rest.first {
            let count = first.group == .quick ? Self.groupCount : Self.fileGroupCount
            let group = rest.prefix(count).prefix { $0.group == first.group }
            rest = rest.dropFirst(group.count)
            loop.inbox.expectWork()
            let work = { @Sendable [inbox = loop.inbox, group = group.map(\.item)] in
                let followUps = group.map { $0() }
                inbox.submitExpected {
                    for followUp in followUps { followUp() }
                }
            }
            if first.group == .quick {
                Queues.preparation.next().async(execute: work)
            } else {
                Queues.blocking.async(work)
            }
        }
    }
}

@available(*, unavailable)
extension PreparationRound: Sendable {}
