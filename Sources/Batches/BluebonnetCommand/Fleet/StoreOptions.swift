// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetFleet
import Foundation

/// Where the batches of a fleet are.
struct StoreOptions: ParsableArguments {
    private static let variable = "BLUEBONNET_STORE"

    @Option(
        help: ArgumentHelp(
            "The PostgreSQL database: a URI postgresql://… or a connection string of libpq. (default: the environment "
                + "variable BLUEBONNET_STORE)", valueName: "url"))
    var store: String?

    /// The fleet that the options name.
    var fleet: Fleet { Fleet(store: target) }

    private var target: String { store ?? ProcessInfo.processInfo.environment[Self.variable] ?? "" }

    func validate() throws {
        guard !target.isEmpty else {
            throw ValidationError("say where the store is: --store postgresql://…, or the variable \(Self.variable)")
        }
        // libpq would take any other URL for the name of a database on this machine.
        let scheme = target.range(of: "://").map { target[..<$0.lowerBound] }
        guard let scheme, !scheme.contains("="), !["postgresql", "postgres"].contains(scheme) else { return }
        throw ValidationError("the store is a PostgreSQL: its URL begins with postgresql://, not with \(scheme)://")
    }
}

extension CommandError {
    init(_ error: FleetError) { self = .unusable(error.description) }
}

/// Calls of a fleet in commands that do one thing and end.
enum FleetCall {
    /// Works on other threads while the main thread waits; ends the process with the status, or with what went wrong.
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

    /// Writes text on standard output.
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
