// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import LoadClients

/// The executable: `LoadCommand` and nothing else, so that other programs can call it.
@main
struct LoadDriver {
    static func main() { LoadCommand.main() }
}
