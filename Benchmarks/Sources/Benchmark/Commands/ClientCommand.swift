// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation

/// One client's part of one round, in a process of its own; the benchmark starts it.
struct ClientCommand: ParsableCommand {
    static let name = "client"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    @Argument(help: "An assignment, as JSON.")
    var assignment: String

    /// Prints what was measured as one line of JSON.
    func run() throws {
        let assignment = try JSONDecoder().decode(Assignment.self, from: Data(self.assignment.utf8))
        print(String(decoding: try JSONEncoder().encode(try assignment.carryOut()), as: UTF8.self))
    }
}
