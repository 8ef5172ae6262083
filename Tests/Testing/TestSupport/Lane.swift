// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
public import Testing

/// How a test run checks memory: plainly, or with a sanitizer. `Scripts/sanitize` sets it in `BLUEBONNET_LANE`.
public enum Lane: String, Sendable, CaseIterable {
    /// Without a sanitizer.
    case plain
    /// With the thread sanitizer, which finds data races.
    case thread
    /// With the address sanitizer, which finds memory that is used outside its bounds or its lifetime.
    case address
    /// With the sanitizer for undefined behaviour in C.
    case undefined

    /// The lane of this process.
    public static let current =
        ProcessInfo.processInfo.environment["BLUEBONNET_LANE"].flatMap(Lane.init(rawValue:)) ?? .plain
}

extension Trait where Self == ConditionTrait {
    /// Leaves a suite or a test out of some lanes. The run prints the reason.
    public static func skipped(in lanes: Lane..., because reason: Comment) -> Self {
        .disabled(if: lanes.contains(.current), reason)
    }
}
