// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The record that an earlier run has made of a page, an element or an item.
package enum EarlierPart: Sendable {
    /// It was not sent, or may be sent again.
    case start(wasSentBefore: Bool)
    /// It has ended.
    case ended(RequestLineRunner.End)
}

/// Starts and ends the parts of lines: pages, elements and items. A journal records them. Any thread.
package protocol PartRecorder: Sendable {
    /// Returns the record that an earlier run has made of a part.
    ///
    /// - Parameter position: the position of its line.
    func earlier(_ instance: LineInstance, of position: Int) -> EarlierPart

    /// Returns the part with its automatic idempotency key, which is the same in a later run.
    func keyed(_ instance: LineInstance, of position: Int) -> LineInstance

    /// Calls `body` when the part may be sent. A part with an unsafe method must wait until the record that it may have
    /// been sent is durable. The ticket is for `end(_:_:of:_:then:)`.
    func start(
        _ instance: LineInstance, of position: Int, needs: [RunnerDependency], wasSentBefore: Bool,
        _ body: @escaping @Sendable (_ ticket: any Sendable) -> Void)

    /// Records and delivers the end of a part. Calls `then` when other lines may act on the end.
    func end(
        _ end: RequestLineRunner.End, _ instance: LineInstance, of position: Int, _ ticket: (any Sendable)?,
        then: @escaping @Sendable () -> Void)

    /// Delivers the items that an earlier run has recorded of a stream that is not read, or not read to its end. Ends
    /// before the first item without a record.
    ///
    /// - Parameters:
    ///   - id: the id of the line or the element.
    ///   - number: the number of the first item to deliver.
    ///   - count: the number of items of the stream; nil if it is not known.
    /// - Returns: the number of delivered items.
    func deliverItems(of id: String, from number: Int, count: Int?) -> Int
}

/// Delivers the ends of parts without recording them.
struct UnrecordedParts: PartRecorder {
    let onResult: @Sendable (ResultLine) -> Void

    func earlier(_ instance: LineInstance, of position: Int) -> EarlierPart { .start(wasSentBefore: false) }

    func keyed(_ instance: LineInstance, of position: Int) -> LineInstance { instance }

    func start(
        _ instance: LineInstance, of position: Int, needs: [RunnerDependency], wasSentBefore: Bool,
        _ body: @escaping @Sendable (any Sendable) -> Void
    ) {
        body(())
    }

    func end(
        _ end: RequestLineRunner.End, _ instance: LineInstance, of position: Int, _ ticket: (any Sendable)?,
        then: @escaping @Sendable () -> Void
    ) {
        onResult(end.result)
        then()
    }

    func deliverItems(of id: String, from number: Int, count: Int?) -> Int { 0 }
}
