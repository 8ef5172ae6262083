// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// Plans a batch for `--plan`: checks all lines and prints the waves in which they would run. It sends nothing.
struct PlanRun {
    let settings: RequestLineRunner.Settings

    /// Prints the plan on standard output. Returns the exit status.
    ///
    /// - Throws: an error if the lines are invalid or cannot be read, or if the plan cannot be written.
    func run(_ input: RunInput) throws(CommandError) -> ExitStatus {
        let plan = RequestLinePlan(try input.nodes(), settings: settings)
        var bytes = Array(plan.description.utf8)[...]
        do throws(SystemError) {
            try FileDescriptor.standardOutput.write(&bytes)
        } catch {
            throw .unusable("cannot write the plan: \(error)")
        }
        return plan.problems.isEmpty ? .success : .failure
    }
}
