// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
public import Testing

/// The time that a test waits before it fails. It is much longer than any step takes on a slow machine, and shorter
/// than the time limits of the suites, whose failures do not name the awaited condition.
public let patience = Duration.seconds(30)

/// Polls a value until it satisfies a condition. Fails the test with the last value on timeout.
///
/// Use this for values without notifications of changes, such as another process's files. For a value that changes in
/// this process, prefer `Observed`.
///
/// ```swift
/// await eventually(server.log) { $0.contains("ready") }
/// await becomes(5) { folder.names.count }
/// ```
/// Waiting also ends when the task is cancelled, for example by the test's time limit.
///
/// - Returns: whether the value satisfied the condition.
@discardableResult
public func eventually<Value>(
    _ value: @autoclosure () async throws -> Value, within limit: Duration = patience,
    at location: SourceLocation = #_sourceLocation, satisfies isWanted: (Value) -> Bool
) async rethrows -> Bool {
    let last = try await Polling.lastValue(of: try await value(), within: limit, until: isWanted)
    return conclude(isWanted(last), nil, last, limit, location)
}

/// Polls a value until it equals another one. Fails the test with the last value on timeout.
@discardableResult
public func becomes<Value: Equatable>(
    _ wanted: Value, within limit: Duration = patience, at location: SourceLocation = #_sourceLocation,
    value: () async throws -> Value
) async rethrows -> Bool {
    let last = try await Polling.lastValue(of: try await value(), within: limit) { $0 == wanted }
    return conclude(last == wanted, "\(wanted)", last, limit, location)
}

/// Polls a value until it equals another one, and blocks the thread. Must not be called in a Swift task.
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
    /// Polls a value until it satisfies a condition, the time is up or the task is cancelled. Returns the last value.
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

/// Fails the test because a value did not satisfy its condition in time.
func recordLateness<Value>(
    of wanted: String?, lastSeen: Value, after limit: Duration, at location: SourceLocation
) {
    let wanted = wanted.map { "for \(excerpt($0))" } ?? "without success"
    Issue.record("waited \(limit) \(wanted), last value seen: \(excerpt("\(lastSeen)"))", sourceLocation: location)
}

/// Returns the text, or only the beginning and the end of a long text.
private func excerpt(_ text: String) -> String {
    text.count > 2000 ? "\(text.prefix(500)) … \(text.suffix(1500))" : text
}
