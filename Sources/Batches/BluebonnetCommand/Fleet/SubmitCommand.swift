// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetFleet
import Foundation

/// `bluebonnet submit`: stores a batch in a fleet's store.
struct SubmitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Submits a batch to the store of a fleet. The workers of the fleet run it.",
        discussion: """
            All lines are checked first; a batch with an invalid line is not submitted. The store gets the whole batch \
            or nothing: after an error, run the same command again. With --name this is always safe: a batch that the \
            store already has under this name is not submitted a second time. The command writes the name to standard \
            output. With --unique, a key decides instead of the name, whatever the lines are.

            Do not put secrets in a batch: write ${env:NAME}, and the worker that sends the request inserts its \
            environment variable. File paths are paths on the workers.

            Exit status: 0 the store has the batch; 2 the command line or a line is invalid, or the store failed.
            """)

    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp(
            "The batch's name, unique in the store. (default: file name and time)", valueName: "name"),
        transform: OptionValue.batchName)
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Submit nothing while the store has a batch with this key that has not ended or is kept by --keep; the "
                + "command then writes its name.", valueName: "key"),
        transform: OptionValue.batchName)
    var unique: String?

    @OptionGroup var options: SubmissionOptions

    func run() throws {
        let batch = try options.checkedBatch().batch
        guard let schedule = batch.removeSchedule() else { preconditionFailure("the batch has a schedule") }
        let lines = SubmittedLines(batch.file, schedule)
        let settings = try options.settings
        let name = name ?? defaultName
        FleetCall.run { [fleet = store.fleet, unique] in
            let batch = try await fleet.submit(lines, named: name, unique: unique, settings: settings)
            if !batch.isNew { StandardError.write(Self.message(batch.name, unique)) }
            try FleetCall.print(batch.name + "\n")
            return .success
        }
    }

    private static func message(_ name: String, _ key: String?) -> String {
        "the store already has the batch \(name)" + (key.map { " with the key \($0)" } ?? "") + "\n"
    }

    private var defaultName: String {
        let path = options.file.map { $0 == "-" ? "batch" : $0 } ?? "batch"
        let stem = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        return "\(stem)-\(Self.stamp.string(from: Date()))"
    }

    private static var stamp: DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyyMMdd-HHmmss"
        return formatter
    }
}
