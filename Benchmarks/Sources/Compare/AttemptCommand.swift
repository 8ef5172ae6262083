// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Comparison
import Foundation
import Glibc
import Synchronization

/// Makes the requests of a plan with one client, and prints one line of JSON for each outcome.
struct AttemptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attempt", abstract: "Makes the requests of one plan with one client.", shouldDisplay: false)

    @Argument(help: "bluebonnet, async-http-client or urlsession") var client: String
    @Argument(help: "A file with the plan.") var plan: String

    func run() async throws {
        // Ends this process even if the process that started it is gone.
        alarm(90)
        let plan = try JSONDecoder().decode(Plan.self, from: Data(contentsOf: URL(fileURLWithPath: plan)))
        let own: any AttemptClient
        switch Client(rawValue: client) {
        case .bluebonnet: own = try BluebonnetAttempt(plan)
        case .asyncHTTPClient: own = AsyncHTTPClientAttempt(plan)
        case .urlSession: own = URLSessionAttempt(plan)
        case .curl, nil: throw ValidationError("\(client) is no client of this command")
        }
        await own.run(plan, report: Self.report)
        // The clients are not shut down: later work of their threads is not part of the case.
        _exit(0)
    }

    private static let output = Mutex(())

    private static let report: @Sendable (Outcome) -> Void = { outcome in
        guard let line = try? JSONEncoder().encode(outcome) else { return }
        let bytes = Array(line) + [10]
        output.withLock { _ in _ = write(STDOUT_FILENO, bytes, bytes.count) }
    }
}
