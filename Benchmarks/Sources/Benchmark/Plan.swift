// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// A benchmark: which clients do what, how often, and which figures are wanted.
struct Plan {
    let title: String
    let clients: [ClientKind]
    let roundCount: Int
    let concurrency: Int
    let metrics: [Metric]
    var goals: [Goal] = []
    var watchesThreads = false
}

extension Plan {
    /// Runs the rounds, the clients in turn, and in the other order in every second round.
    ///
    /// - Parameter afterRound: called when a client has done its part of a round, to look at what it left.
    func run(
        _ assignment: (ClientKind) throws -> Assignment, afterRound: () throws -> Void = {}
    ) throws -> Report {
        let process = ClientProcess(watchesThreads: watchesThreads)
        var samples: [ClientKind: [Sample]] = [:]
        for round in 0..<roundCount {
            for client in round.isMultiple(of: 2) ? clients : clients.reversed() {
                samples[client, default: []].append(try process.run(try assignment(client)))
                try afterRound()
            }
        }
        return Report(self, samples: samples)
    }

    /// Runs `body` with a temporary folder and a server for what is in it.
    static func withServer<Result>(_ body: (URL, NginxServer) throws -> Result) throws -> Result {
        Interruption.watch()
        return try TemporaryFolder.whileThere { folder in
            try NginxServer.whileRunning(in: folder) { server in try body(folder, server) }
        }
    }
}

extension Work {
    /// GETs of 13 bytes.
    static func small(_ server: NginxServer, requestCount: Int) throws -> Work {
        Work(
            url: try server.url("tiny"), requestCount: requestCount, byteCount: Int64(NginxServer.tinyBody.utf8.count))
    }
}
