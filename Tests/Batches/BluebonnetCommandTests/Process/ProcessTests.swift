// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

/// Tests that start the built command. They run one at a time, so that each has the machine to itself.
@Suite(.serialized, .timeLimit(.minutes(1))) enum ProcessTests {}
