// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetJournal
import Glibc

/// `bluebonnet run`: runs a batch and ends the process with its status.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a batch of requests, one JSON object per line, and writes a result line for each.",
        discussion: """
            A whole file is checked before anything is sent. The lines of a pipe or a terminal are checked and started \
            as they arrive.

            {"url": "https://api.example.com/status"}
            {"id": "login", "method": "POST", "url": "login", "json": {"user": "me"}}
            {"url": "me.pdf", "after": ["login"], "output": "me.pdf"}

            Exit status: 0 every operation succeeded, or with --fail-if no condition holds; 1 an operation did not \
            succeed, or with --fail-if a condition holds, or a file of the run could not be written; 2 the command line or a request line is invalid; 130 interrupted. SIGINT cancels running \
            operations. SIGTERM and SIGHUP start no more operations and give running ones --drain-timeout seconds to \
            finish. Every operation still gets its result line. A second signal exits at once. A signal that was \
            ignored at the start stays ignored.

            With --journal, the outcome of each line is on disk before its result line is written. After an \
            interruption, run the same command again to resume: lines that have ended are not sent again, their \
            result lines are written from the journal, and --results has each operation once. A request other than \
            GET, HEAD, OPTIONS and TRACE that may have been sent when the process died is not resent: its outcome is \
            "unknown", unless it has an idempotency key or --resend-unsafe is set. A line whose output file is missing \
            or has another length runs again, if it is safe to repeat.

            With --plan nothing is sent: the lines are checked and printed in the waves in which they could run. The \
            status is 0 if all lines could be sent, 1 if some would fail before that, 2 if a line is invalid.
            """)

    @OptionGroup var options: RunOptions

    /// Runs on the main thread and does not return: once the run has begun, the process ends with its status.
    func run() throws {
        let control = StopControl(isPreparing: true)
        try Signals.stop(control)
        let (source, status) = try InputSource.open(options.file)
        if !options.requests.plan { RequestLineRunner.prepare() }
        var settings = try settings()
        let state = try options.files.state.map { path throws(CommandError) in try StateFile(path: path) }
        settings.state = state?.members
        if !options.requests.plan { lowerConcurrency(&settings) }
        let journal = JournalSource(options.journal, settings, input: source)
        let input = try RunInput(
            source, control: control, limits: settings.scheduleLimits,
            reserved: options.reservedPaths + (journal?.reservedPaths ?? []), rules: options.rules
        ) { journal?.add($0) }
        if options.requests.plan { try PlanRun(settings: settings).run(input).end() }
        // Must precede emptying the results: if the journal is refused, the results stay unchanged.
        let opened = try journal.map { journal throws(CommandError) in try journal.open(input) }
        let target: ResultTarget
        let observer: RunObserver?
        let outputs: RunOutputs?
        do throws(CommandError) {
            let others = otherFiles(input: status, journals: journal?.statuses ?? [])
            outputs = try RunOutputs(
                options.files, state: state, input: input, inputName: options.inputName, others: others)
            observer = try RunObserver(
                options.observation.events, summary: options.observation.times,
                others: others + (outputs?.statuses ?? []))
            target = try Self.target(options.output.results, input: status, journals: journal?.statuses ?? [])
            try outputs?.begin()
        } catch {
            opened?.close()
            throw error
        }
        let page = try statusPage(settings)
        observer?.observe(&settings)
        outputs?.observe(&settings)
        control.begin()
        let session = RunSession(
            settings: settings, input: input, journal: opened, target: target, observer: observer, outputs: outputs,
            status: page, progress: options.output.style, showsSummary: !options.output.quiet, control: control)
        Task { await session.run().end() }
        while true { pause() }
    }

    /// Starts the server of the status page, and returns its state; nil without the option.
    private func statusPage(_ settings: RequestLineRunner.Settings) throws(CommandError) -> RunStatus? {
        let options = options.observation.serving
        guard let address = options.serve else { return nil }
        let status = RunStatus(
            name: self.options.inputName, concurrency: settings.concurrency,
            limits: "\(Quantity.count(settings.concurrencyPerOrigin, "transfer")) at once")
        let server = try StatusServer(options, on: address, status)
        StandardError.write("status page: \(server.url)\n")
        return status
    }

    /// Lowers the limit of concurrent transfers to the number that open files allow, and prints a message.
    private func lowerConcurrency(_ settings: inout RequestLineRunner.Settings) {
        let wanted = settings.concurrency
        settings.concurrency = ProcessLimits.concurrency(wanted)
        guard settings.concurrency < wanted else { return }
        StandardError.write(ProcessLimits.reducedConcurrencyMessage(wanted: wanted, used: settings.concurrency) + "\n")
    }

    /// - Throws: an error in the environment variables or in a file that an option names.
    private func settings() throws(CommandError) -> RequestLineRunner.Settings {
        do throws(NetworkingError) {
            return try options.settings
        } catch {
            throw .unusable(error.message)
        }
    }

    /// The files that files of other options must not overwrite, with the words that name them.
    private func otherFiles(input: FileStatus, journals: [FileStatus]) -> [(FileStatus, String)] {
        let results =
            options.output.results.map { FileStatus(path: $0) } ?? (try? FileDescriptor.standardOutput.status)
        return [(input, "the file of the request lines")] + journals.map { ($0, "the journal") }
            + (results.map { [($0, "the file of the results")] } ?? [])
    }

    private static func target(
        _ path: String?, input: FileStatus, journals: [FileStatus]
    ) throws(CommandError) -> ResultTarget {
        guard let path else { return ResultTarget() }
        return try ResultTarget(path: path, input: input, journals: journals)
    }
}
