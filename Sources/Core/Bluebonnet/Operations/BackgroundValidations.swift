// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation

// Validations of stale responses in the background.
extension NetworkServices {
    /// Begins a validation, with a low priority.
    func beginValidation(_ plan: RequestPlan) {
        let operation = RequestOperation(plan: plan, services: self)
        operation.queuePriority = .veryLow
        validations.enter()
        operation.completionBlock = { [validations] in validations.leave() }
        operation.start()
    }

    /// Waits for the validations that have begun.
    ///
    /// - Returns: whether all of them have ended before the timeout.
    func finishValidations(within timeout: Duration) async -> Bool {
        let deadline = DispatchTime.now() + min(timeout.seconds, 1e9)
        return await Queues.blocking.run { [validations] in validations.wait(timeout: deadline) == .success }
    }
}
