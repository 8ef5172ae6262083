// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet

/// `bluebonnet lines`: converts other formats to request lines, and request lines to commands of curl.
struct LinesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lines",
        abstract: "Converts commands of curl, HAR and CSV files and lists of URLs to request lines, and back to curl.",
        discussion: """
            bluebonnet lines from curl requests.sh > batch.ndjson
            bluebonnet lines from csv users.csv | bluebonnet run
            bluebonnet lines to curl batch.ndjson

            Nothing is sent. Every written request line is one that bluebonnet run accepts. The first error ends the \
            command with FILE:LINE: and a message; the lines of earlier entries have been written, and nothing of the \
            entry with the error. FILE:LINE: warning: names a part that was left out.

            Exit status: 0 everything was converted; 2 the command line or the file is invalid.
            """,
        subcommands: [FromCommand.self, ToCommand.self])

    /// `bluebonnet lines from`.
    struct FromCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "from", abstract: "Writes request lines.",
            subcommands: [FromCurl.self, FromHAR.self, FromCSV.self, FromURLs.self])
    }

    /// `bluebonnet lines to`.
    struct ToCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "to", abstract: "Reads request lines.", subcommands: [ToCurl.self])
    }
}

/// The file of a conversion.
struct LinesFile: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The file; standard input if absent or \"-\".", valueName: "file"), completion: .file())
    var file: String?

    func convert(_ converter: some LineConverter, of content: String) throws {
        var run = try LinesRun(file, of: content)
        try run.run(converter)
    }
}

// MARK: - From other formats

extension LinesCommand {
    /// `bluebonnet lines from curl`.
    struct FromCurl: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "curl", abstract: "Converts commands of curl, a line for each URL.",
            discussion: """
                echo "curl -L https://example.com/ -o page.html" | bluebonnet lines from curl

                The file is read as a shell reads a script: words in quotation marks, $'…', lines that end in \\, \
                comments. Commands are separated by line ends or ";". Variables and everything else that a shell \
                would run or replace are errors.

                Each option becomes a field of the line. An option without a field is an error that says what to do. \
                Options that change neither a request nor a file are ignored: those for output on the terminal (-s, \
                -S, -v, -i, -w, -#, --stderr, --trace), for the exit status (-f), and for parallel transfers (-Z).

                Like curl, a line follows redirects only with -L. JSON and forms in -d become "json" and "form" if \
                they mean the same, other data becomes "text". -u becomes "credential", which answers a challenge: \
                curl sends the password with the first request.
                """)

        @OptionGroup var input: LinesFile

        func run() throws { try input.convert(CurlConverter(), of: "commands of curl") }
    }

    /// `bluebonnet lines from har`.
    struct FromHAR: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "har", abstract: "Converts the requests of a HAR file, in the order of their times.",
            discussion: """
                bluebonnet lines from har example.com.har > batch.ndjson

                HAR files are written by browsers and by bluebonnet run --har. Header fields that the client sets \
                itself are left out: Host, Content-Length, Connection, Accept-Encoding and pseudo-header fields. Cookies \
                stay. A file of bluebonnet has no bodies and no secrets: warnings name what is missing.
                """)

        @OptionGroup var input: LinesFile

        func run() throws { try input.convert(HARConverter(), of: "a HAR file") }
    }

    /// `bluebonnet lines from csv`.
    struct FromCSV: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "csv", abstract: "Converts the rows of a CSV file whose header row names fields.",
            discussion: """
                id,method,url,header.X-Client,json.user.name,json.age:number
                ada,PUT,https://api.example.com/users/1,demo,Ada,36

                A column is a field of a request line, or a member of one: header.NAME, query.NAME, form.NAME, \
                json.PATH, resolve.HOST, expect.status, credential.user and so on. PATH is names joined by dots, \\. \
                is a dot in a name, and numbers are indices of an array. Cells of json, query and form are text, \
                unless the column ends in :number, :boolean or :json. Objects and arrays are JSON in a cell. An empty \
                cell sets nothing. Cells may have references such as ${login.body.token}.

                The file is UTF-8, with commas (RFC 4180).
                """)

        @OptionGroup var input: LinesFile

        func run() throws { try input.convert(CSVConverter(), of: "CSV") }
    }

    /// `bluebonnet lines from urls`.
    struct FromURLs: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "urls", abstract: "Converts a list of absolute URLs, one per line.",
            discussion: """
                bluebonnet lines from urls sites.txt | bluebonnet run

                Empty lines and lines that begin with # are skipped.
                """)

        @OptionGroup var input: LinesFile

        func run() throws { try input.convert(URLListConverter(), of: "URLs") }
    }
}

// MARK: - To other formats

extension LinesCommand {
    /// `bluebonnet lines to curl`.
    struct ToCurl: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "curl", abstract: "Writes a command of curl for each request line.",
            discussion: """
                bluebonnet lines to curl batch.ndjson --base-url https://api.example.com/v1/

                The commands are for any POSIX shell, and for curl 7.87 or later. A comment before a command names \
                each field without a counterpart in curl, such as "after", and each field with references, which stay \
                as they are. Secrets in lines are in the commands, too.
                """)

        @OptionGroup var input: LinesFile

        @Option(
            name: .customLong("base-url"),
            help: ArgumentHelp(
                "The base of relative URLs: with https://h/v1, users is https://h/v1/users.", valueName: "url"),
            transform: BaseURL.init)
        var base: BaseURL?

        func validate() throws {
            guard let base, base.url == nil else { return }
            throw ValidationError(base.problem)
        }

        func run() throws { try input.convert(CurlWriter(baseURL: base?.url), of: "request lines") }
    }
}
