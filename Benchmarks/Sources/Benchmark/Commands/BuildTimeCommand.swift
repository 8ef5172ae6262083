// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Figures
import Foundation
import Glibc
import Processes

/// Measures the time of a clean release build of a program that gets one page, with Bluebonnet and with
/// async-http-client.
struct BuildTimeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build-time",
        abstract: "A clean release build of a minimal program on Bluebonnet, async-http-client and URLSession.",
        discussion: """
            Each program is a package of its own in a temporary folder, without a build folder. Packages are fetched \
            and resolved before the clock starts. It takes minutes.
            """)

    @Option(parsing: .upToNextOption, help: "On what: bluebonnet, async-http-client, urlsession.")
    var on = BuildSubject.allCases

    func run() throws {
        Interruption.watch()
        for subject in on {
            let outcome = try TemporaryFolder.whileThere { folder in try subject.build(in: folder) }
            let (wall, cpu) = (Spread.text(outcome.wallSeconds, 1), Spread.text(outcome.cpuSeconds, 1))
            print("\(subject.rawValue): \(wall) s, CPU \(cpu) s")
            fflush(nil)
        }
    }
}
