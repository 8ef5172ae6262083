// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc

/// Where PostgreSQL's programs are, and which user runs them. The server refuses to run as root.
struct PostgreSQLInstallation: Sendable {
    /// A user without special rights.
    struct User: Sendable {
        let id: uid_t
        let group: gid_t

        /// The user of Debian's package, or `nobody`.
        static func find() -> User? {
            for name in ["postgres", "nobody"] {
                if let entry = getpwnam(name) { return User(id: entry.pointee.pw_uid, group: entry.pointee.pw_gid) }
            }
            return nil
        }
    }

    /// The folder of `initdb`, `postgres` and `psql`.
    let programs: String
    /// The user for the server; nil if the tests run as an ordinary user.
    let user: User?

    /// Finds the programs: on the path, or else the newest version in Debian's folders.
    static func find() throws -> PostgreSQLInstallation {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + debianFolders
        guard let programs = folders.first(where: hasAllPrograms) else {
            throw TestServerError("initdb, postgres and psql (postgresql) are not installed")
        }
        guard geteuid() == 0 else { return PostgreSQLInstallation(programs: programs, user: nil) }
        guard ChildProcess.find("setpriv") != nil else {
            throw TestServerError("setpriv (util-linux) is not installed")
        }
        guard let user = User.find() else { throw TestServerError("there is no user postgres or nobody to run it as") }
        return PostgreSQLInstallation(programs: programs, user: user)
    }

    /// Why no server can be started; nil if one can.
    static var obstacle: String? {
        do {
            _ = try find()
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// The words that run a program as the user.
    func command(_ words: [String]) -> [String] {
        guard let user else { return words }
        return ["setpriv", "--reuid=\(user.id)", "--regid=\(user.group)", "--clear-groups", "--"] + words
    }

    /// Makes the user the owner of a file or a folder.
    func handOver(_ path: String) throws {
        guard let user else { return }
        guard chown(path, user.id, user.group) == 0 else {
            throw TestServerError("cannot give \(path) to another user: \(String(cString: strerror(errno)))")
        }
    }

    private static var debianFolders: [String] {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap(Int.init).sorted(by: >).map { "\(root)/\($0)/bin" }
    }

    private static func hasAllPrograms(_ folder: String) -> Bool {
        ["initdb", "postgres", "psql"].allSatisfy { access("\(folder)/\($0)", X_OK) == 0 }
    }
}
