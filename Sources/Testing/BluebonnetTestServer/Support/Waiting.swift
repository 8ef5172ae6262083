// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
public import Testing

/// How long a test waits before it fails: much longer than anything takes on a slow machine, and shorter than the time
/// limits of the suites, which would not say what was waited for.
public let patience = Duration.seconds(30)

/// Asks for a value until it is as wanted. Fails the test with the last value seen if it is not in time.
///
/// This is for what can only be asked, like another process's files. A value that changes in this process is better
/// `Observed`.
///
/// ```swift
/// await eventually(server.log) { $0.contains("ready") }
/// await becomes(5) { folder.names.count }
/// ```
/// The wait ends, too, when its task is cancelled, as by the test's time limit.
///
/// - Returns: whether the value was as wanted.
@discardableResult
public func eventually<Value>(
    _ value: @autoclosure () async throws -> Value, within limit: Duration = patience,
    at location: SourceLocation = #_sourceLocation, satisfies isWanted: (Value) -> Bool
) async rethrows -> Bool {
    let last = try await Polling.lastValue(of: try await value(), within: limit, until: isWanted)
    return conclude(isWanted(last), nil, last, limit, location)
}

/// Asks for a value until it is equal to another one. Fails the test with the last value seen if it is not in time.
@discardableResult
public func becomes<Value: Equatable>(
    _ wanted: Value, within limit: Duration = patience, at location: SourceLocation = #_sourceLocation,
    value: () async throws -> Value
) async rethrows -> Bool {
    let last = try await Polling.lastValue(of: try await value(), within: limit) { $0 == wanted }
    return conclude(last == wanted, "\(wanted)", last, limit, location)
}

/// Does the same on a thread that may block, which must be none of Swift's tasks.
@available(*, noasync)
@discardableResult
public func becomesBlocking<Value: Equatable>(
    _ wanted: Value, within limit: Duration = patience, at location: SourceLocation = #_sourceLocation,
    value: () throws -> Value
) rethrows -> Bool {
    let end = ContinuousClock.now + limit
    var last = try value()
    while last != wanted, ContinuousClock.now < end {
        Thread.sleep(forTimeInterval: 0.0005)
        last = try value()
    }
    return conclude(last == wanted, "\(wanted)", last, limit, location)
}

package enum Polling {
    /// Asks for a value until it is as wanted, the time is up or the task is cancelled. Returns the last value.
    @discardableResult
    package static func lastValue<Value>(
        of value: @autoclosure () async throws -> Value, within limit: Duration = .seconds(10),
        until isWanted: (Value) -> Bool
    ) async rethrows -> Value {
        let end = ContinuousClock.now + limit
        var last = try await value()
        while !isWanted(last), ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(5))
            last = try await value()
        }
        return last
    }
}

private func conclude<Value>(
    _ isWanted: Bool, _ name: String?, _ last: Value, _ limit: Duration, _ location: SourceLocation
) -> Bool {
    if !isWanted && !Task.isCancelled { recordLateness(of: name, lastSeen: last, after: limit, at: location) }
    return isWanted
}

/// Fails the test because a value has not become what was waited for.
func recordLateness<Value>(
    of wanted: String?, lastSeen: Value, after limit: Duration, at location: SourceLocation
) {
    let wanted = wanted.map { "for \(excerpt($0))" } ?? "in vain"
    Issue.record("waited \(limit) \(wanted), last value seen: \(excerpt("\(lastSeen)"))", sourceLocation: location)
}

/// The ends of a text that is long.
private func excerpt(_ text: String) -> String {
    text.count > 2000 ? "\(text.prefix(500)) … \(text.suffix(1500))" : text
}
