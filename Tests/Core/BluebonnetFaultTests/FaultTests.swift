// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Tests with deliberate faults. They run one at a time, so that the faults of one test do not disturb another.
@Suite(.serialized, .timeLimit(.minutes(longestMinutes))) struct FaultTests {}

/// Failing every single `malloc` call takes about fifty thousand program runs.
private let longestMinutes = ProcessInfo.processInfo.environment["BLUEBONNET_TORTURE"] == nil ? 10 : 600
