// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

/// Everything that goes wrong on purpose: one test at a time, so that faults of one are not the machine's for another.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FaultTests {}
