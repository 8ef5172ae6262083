// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import LoadClients

/// The executable `LoadDriver`, which contains only `LoadCommand`, so that other programs can use the command too.
@main
struct LoadDriver {
    static func main() { LoadCommand.main() }
}
