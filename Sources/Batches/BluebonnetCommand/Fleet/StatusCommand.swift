// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetFleet
internal import BluebonnetServing
import Foundation
import Glibc

/// `bluebonnet status`: shows the state of a fleet's batches and workers.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the progress of the batches in the store of a fleet, and the workers.",
        discussion: """
            With a name, the command shows one batch and its origins. With --watch it redraws the text every second \
            until the batch ends. With --json it writes an object with the members batches, workers and, with a \
            name, origins. With --serve it shows a page in a browser until it is stopped.

            Exit status: 0 the status was shown; 2 the command line is invalid or the store failed.
            """)

    /// The interval at which `--watch` reads the state.
    private static let interval = Duration.seconds(1)

    @Argument(
        help: "The batch's name. (default: all batches)",
        completion: .custom { words, _, prefix in BatchNames.completions(words: words, prefix: prefix) })
    var batch: String?
    @OptionGroup var store: StoreOptions
    @Flag(help: "Redraw every second.") var watch = false
    @Flag(help: "Write one JSON object instead of text.") var json = false
    @OptionGroup var serving: ServeOptions

    func validate() throws {
        if let address = serving.serve, watch || json {
            throw ValidationError("--serve \(address) shows a page: omit --watch and --json")
        }
        if watch, json { throw ValidationError("--watch shows text: omit --json") }
    }

    func run() throws {
        if let address = serving.serve { try serve(on: address) }
        FleetCall.run { [fleet = store.fleet, batch, watch, json] in
            guard watch else {
                let report = try await FleetReport(fleet, batch)
                try FleetCall.print(json ? report.json : report.lines(width: 100).joined(separator: "\n") + "\n")
                return .success
            }
            try await Self.watch(fleet, batch)
            return .success
        }
    }

    /// Serves the page until the process is ended.
    private func serve(on address: ServingAddress) throws -> Never {
        let server = try StatusServer(serving, on: address, FleetStatusSource(store.fleet))
        let allowed = CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: "#&"))
        let name = batch?.addingPercentEncoding(withAllowedCharacters: allowed)
        StandardError.write("status page: \(server.url)\(name.map { "#batch=" + $0 } ?? "")\n")
        while true { pause() }
    }

    private static func watch(_ fleet: Fleet, _ batch: String?) async throws {
        let isTerminal = FileDescriptor.standardOutput.isTerminal
        var screen = BarScreen()
        while true {
            let report = try await FleetReport(fleet, batch)
            let width = TerminalSize.current.columnCount
            let lines = report.lines(width: width).map { TerminalText.cut($0, to: width) }
            try FleetCall.print(isTerminal ? screen.draw(lines) : lines.joined(separator: "\n") + "\n\n")
            if batch != nil, report.isComplete { break }
            try await Task.sleep(for: interval)
        }
        if isTerminal { try FleetCall.print("\n\u{1B}[?25h") }
    }
}
