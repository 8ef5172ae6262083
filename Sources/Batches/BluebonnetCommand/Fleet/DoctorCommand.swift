// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetFleet
import Foundation

/// `bluebonnet doctor`: examines the store of a fleet.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examines the store of a fleet, and says what to do about problems.",
        discussion: """
            The command checks the version, the settings, transactions that are open for long, the sizes of tables and \
            indexes, the clock, the permissions of the user, connections and workers. It changes nothing.

            Exit status: 0 there is nothing to do; 1 there is a warning or an error; 2 the command line is invalid, or the \
            store cannot be examined.
            """)

    @Argument(help: ArgumentHelp("The store; --store and BLUEBONNET_STORE are used if absent.", valueName: "url"))
    var url: String?
    @OptionGroup var options: DoctorStoreOptions
    @Flag(help: "Write one JSON object instead of text.") var json = false

    func validate() throws { _ = try StoreOptions.target(url ?? options.store) }

    func run() throws {
        FleetCall.run { [json, store = try StoreOptions.target(url ?? options.store)] in
            let findings = try await Fleet(store: store).examine()
            try FleetCall.print(json ? Self.json(findings) : findings.map(Self.text).joined())
            return findings.allSatisfy { $0.level == .fine } ? .success : .failure
        }
    }

    private static func text(_ finding: StoreFinding) -> String {
        let word = finding.level == .fine ? "ok" : finding.level.rawValue
        let advice = finding.advice.map { "    → \(TerminalText.clean($0))\n" } ?? ""
        return "\(word): \(finding.subject): \(TerminalText.clean(finding.message))\n" + advice
    }

    private static func json(_ findings: [StoreFinding]) -> String {
        let list = findings.map { finding in
            JSONValue.object([
                "level": .string(finding.level.rawValue), "subject": .string(finding.subject),
                "message": .string(finding.message), "advice": finding.advice.map { .string($0) } ?? .null,
            ])
        }
        return JSONText.text(of: .object(["findings": .array(list)])) + "\n"
    }
}

/// The option for the store, if it is no argument.
struct DoctorStoreOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The store, as for the other commands.", valueName: "url"))
    var store: String?
}
