// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
internal import BluebonnetBatch

/// The options for files about the results of a run, and for conditions on them.
struct OutputFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Write the values that lines extract as rows, with the id of the operation, to this file. Its name ends in \
            .csv, .ndjson or .sqlite.
            """, valueName: "file"), completion: .file(),
        transform: OptionValue.rowPath)
    var into: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Write a report at the end, as JUnit XML (junit=FILE) or as a page (html=FILE); repeatable.",
            valueName: "form=file"),
        transform: OptionValue.report)
    var report: [ReportOption] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Exit with status 1 only if a condition holds, such as 'failed > 1%' or 'p95 > 800ms'; repeatable. Subjects: \
            failed, skipped, p50, p95, p99, rate.
            """, valueName: "condition"),
        transform: OptionValue.condition)
    var failIf: [FailCondition] = []

    @Option(
        help: ArgumentHelp(
            """
            A file with a JSON object; lines refer to its members as ${state.NAME}. The members that lines remember are \
            set when every operation has succeeded.
            """, valueName: "file"), completion: .file())
    var state: String?

    var reports: [ReportOption] { report }
    var conditions: [FailCondition] { failIf }

    /// The options that name files.
    var files: [NamedFile] {
        NamedFile.list([("--into", into), ("--state", state)])
            + reports.map { NamedFile(option: $0.option, path: $0.path) }
    }

    /// The options that are given and need a run.
    var namesOfRunOptions: [String] {
        (into == nil ? [] : ["--into"]) + (reports.isEmpty ? [] : ["--report"])
            + (conditions.isEmpty ? [] : ["--fail-if"])
    }

    /// Whether the options need the results.
    var usesResults: Bool { !namesOfRunOptions.isEmpty }

    var isUsed: Bool { usesResults || state != nil }

    func validate() throws { try NamedFile.check(files) }
}

extension OutputFileOptions {
    /// Opens the file of `--into`, and leaves its contents; nil without the option.
    ///
    /// - Parameters:
    ///   - valueNames: the names of values; nil if they are not known before the run.
    ///   - others: files that must not be overwritten, with the words that name them in an error.
    func rows(valueNames: [String]?, others: [(FileStatus, String)]) throws(CommandError) -> (any RowSink)? {
        guard let into, let form = RowForm(path: into) else { return nil }
        let file = try EventFile(option: "--into", path: into, others: others)
        switch form {
        case .ndjson: return TextRows.ndjson(file)
        case .csv:
            if let valueNames { return TextRows.csv(file, valueNames) }
            return try SpooledRows(file)
        case .sqlite:
            guard file.status != nil else {
                throw .unusable("cannot open \(into) for --into: it is not a regular file")
            }
            return SQLiteRows(file, path: into, valueNames ?? [])
        }
    }

    /// The files that no line may write.
    var reservedPaths: [ReservedPath] {
        let rollback = into.flatMap { RowForm(path: $0) == .sqlite ? $0 + "-journal" : nil }
        return (files + NamedFile.list([("--into", rollback)])).map { file in
            ReservedPath(file.path, "\(file.option) writes this file")
        }
    }
}
