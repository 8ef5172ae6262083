// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetJournal
import Glibc

/// `bluebonnet journal`: prints the state of a journal's batch.
struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Shows the progress of the batch in a journal.",
        discussion: """
            The command reads the file that bluebonnet run --journal writes, even during a run, and changes nothing.

            With --json, one object with these fields, of which lines and waiting are null when the lines come from \
            a pipe: lines, ended, success, failure, cancelled, skipped, mayHaveBeenSent, waiting, parts, bytes, \
            created (seconds since 1970), digest, isRunning. The numbers count lines; the object parts has the \
            numbers of pages, elements and items of streams: ended, success, failure, cancelled, skipped, \
            mayHaveBeenSent.

            Exit status: 0 the progress was shown; 2 the command line is invalid, or the file is not a journal.
            """)

    @Argument(help: "The journal.", completion: .file())
    var file: String

    @Flag(help: "Write one JSON object instead of text.")
    var json = false

    func run() throws {
        let journal = SQLiteJournal(path: file)
        let report: JournalReport
        do throws(JournalError) {
            report = JournalReport(name: file, summary: try journal.summary(), isRunning: journal.isInUse)
        } catch {
            throw CommandError(error)
        }
        var bytes = Array((json ? report.json : report.text).utf8)[...]
        do throws(SystemError) {
            try FileDescriptor.standardOutput.write(&bytes)
        } catch {
            throw CommandError.unusable("cannot write to standard output: \(error)")
        }
    }
}
