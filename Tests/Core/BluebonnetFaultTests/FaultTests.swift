// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Everything that goes wrong on purpose: one test at a time, so that faults of one are not the machine's for another.
@Suite(.serialized, .timeLimit(.minutes(longestMinutes))) struct FaultTests {}

/// All calls of `malloc` are some fifty thousand runs of a program.
private let longestMinutes = ProcessInfo.processInfo.environment["BLUEBONNET_TORTURE"] == nil ? 10 : 600
