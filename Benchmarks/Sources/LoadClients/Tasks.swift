// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch

/// Runs a job's requests in tasks, for clients whose calls wait.
enum Tasks {
    /// As many tasks as the job has chains; each sends the next request when its last one has ended.
    ///
    /// - Parameter send: sends one request and gives what was wrong with its answer.
    static func run(_ job: Job, _ ledger: Ledger, send: @escaping @Sendable (_ number: Int) async -> String?) {
        Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<job.chainCount {
                    group.addTask {
                        while let number = ledger.claim() {
                            let began = Moment.now
                            ledger.end(number, began: began, fault: await send(number))
                        }
                    }
                }
            }
        }
        ledger.wait()
    }
}
