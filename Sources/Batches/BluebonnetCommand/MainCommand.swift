// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
import Glibc

/// The command `bluebonnet`: prints help and version, and dispatches to its subcommands.
struct MainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluebonnet",
        abstract: "Runs batches of HTTP requests, and shows whether the network is reachable.",
        version: LibraryVersion.text,
        subcommands: [
            RunCommand.self, LinesCommand.self, JournalCommand.self, ReachabilityCommand.self, SubmitCommand.self,
            WorkCommand.self, StatusCommand.self, ResultsCommand.self, PauseCommand.self, ResumeCommand.self,
            CancelCommand.self,
            RetryFailedCommand.self, RemoveCommand.self, PruneCommand.self, DoctorCommand.self, ScheduleCommand.self,
            SchedulesCommand.self,
        ])

    static func main() {
        StandardDescriptors.prepare()
        ProcessLimits.raiseDescriptorLimit()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            end(with: error)
        }
    }

    /// Prints the message of `error` and ends the process with its status. Help and version are delivered here too,
    /// and are not failures.
    private static func end(with error: any Error) -> Never {
        switch error {
        case let error as CommandError:
            StandardError.write(error.message + "\n")
            ExitStatus.usage.end()
        case _ where exitCode(for: error) == .validationFailure:
            let message = message(for: error)
            let shown = HiddenArguments.message(message, arguments: CommandLine.arguments)
            StandardError.write(fullMessage(for: error).replacing(message, with: shown, maxReplacements: 1) + "\n")
            ExitStatus.usage.end()
        default:
            exit(withError: error)
        }
    }
}

/// Runs the command with the process's arguments.
package func runMainCommand() { MainCommand.main() }
