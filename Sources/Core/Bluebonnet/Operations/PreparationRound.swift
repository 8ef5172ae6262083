// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch

/// Runs work of operations off the network thread. Short pieces of work from one round of the event loop run in small
/// groups, which saves most thread hops. Network thread only.
final class PreparationRound: RoundEndTask {
    /// Runs on a preparation queue or a blocking queue. The returned work then runs on the event loop's thread.
    typealias Item = @Sendable () -> Inbox.Work

    /// The pieces of work that may run together in one thread hop.
    enum Group: Equatable {
        /// Runs alone: the work runs the program's code, or may take any time.
        case alone
        /// Runs with other quick work: it is short and does not access the file system.
        case quick
        /// Runs only with work in the same folder: it may block for any time, as on an unreachable network file system.
        case files(in: Substring)
    }

    /// The maximum number of pieces in a group. Opening files may take longer.
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
