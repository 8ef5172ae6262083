// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch

/// Runs a job's requests in tasks, for clients with async calls.
enum Tasks {
    /// Runs one task for each chain of the job. A task sends its next request when the previous one has ended.
    ///
    /// - Parameter send: sends one request. Returns the fault of its answer; nil without a fault.
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
