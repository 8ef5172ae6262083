// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetFleet
import Foundation

/// The options that locate the store of a fleet.
struct StoreOptions: ParsableArguments {
    static let variable = "BLUEBONNET_STORE"

    @Option(
        help: ArgumentHelp(
            "The PostgreSQL database: a URI postgresql://… or a connection string of libpq. (default: the environment "
                + "variable BLUEBONNET_STORE)", valueName: "url"))
    var store: String?

    /// The fleet of the store.
    var fleet: Fleet { Fleet(store: target) }

    private var target: String { Self.value(store) }

    private static func value(_ text: String?) -> String {
        text ?? ProcessInfo.processInfo.environment[variable] ?? ""
    }

    func validate() throws { _ = try Self.target(store) }

    /// Returns the connection string of an option, or of the environment.
    ///
    /// - Throws: `ValidationError` if there is none, or if it is the URL of something else.
    static func target(_ text: String?) throws -> String {
        let target = value(text)
        guard !target.isEmpty else {
            throw ValidationError("no store: use --store postgresql://… or set the variable \(variable)")
        }
        // libpq would take any other URL for the name of a local database.
        let scheme = target.range(of: "://").map { target[..<$0.lowerBound] }
        guard let scheme, !scheme.contains("="), !["postgresql", "postgres"].contains(scheme) else { return target }
        throw ValidationError("the store is a PostgreSQL database: its URL starts with postgresql://, not \(scheme)://")
    }
}

extension CommandError {
    init(_ error: FleetError) { self = .unusable(error.description) }
}

/// Runs the asynchronous work of commands that perform one action and end.
enum FleetCall {
    /// Runs `work` on other threads while the main thread waits. Ends the process with the returned status, or with a
    /// message about the thrown error.
    static func run(_ work: @escaping @Sendable () async throws -> ExitStatus) -> Never {
        Task {
            do {
                try await work().end()
            } catch let error as CommandError {
                fail(error)
            } catch let error as FleetError {
                fail(CommandError(error))
            } catch {
                fail(.unusable(String(describing: error)))
            }
        }
        while true { pause() }
    }

    private static func fail(_ error: CommandError) -> Never {
        StandardError.write(error.message + "\n")
        ExitStatus.usage.end()
    }

    /// Writes text to standard output.
    static func print(_ text: String) throws(CommandError) { try print(Data(text.utf8)) }

    static func print(_ data: Data) throws(CommandError) {
        var bytes = Array(data)[...]
        do throws(SystemError) {
            try FileDescriptor.standardOutput.write(&bytes)
        } catch {
            throw .unusable("cannot write to standard output: \(error)")
        }
    }
}
