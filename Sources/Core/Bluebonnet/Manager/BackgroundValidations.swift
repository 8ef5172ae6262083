// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation

extension RequestOperationManager {
    /// Waits for the validations of stale responses (`stale-while-revalidate`) that the manager's cache has begun in the
    /// background. A program that ends right after its requests calls it first: a validation that is cut off changes
    /// nothing, and the next program gets the same stale response.
    ///
    /// - Parameter timeout: the longest wait. Validations that run longer continue.
    /// - Returns: whether all of them have ended.
    @discardableResult
    public func finishValidations(within timeout: Duration) async -> Bool {
        await services.finishValidations(within: timeout)
    }
}

extension NetworkServices {
    /// Waits for the validations in the background.
    func finishValidations(within timeout: Duration) async -> Bool {
        let deadline = DispatchTime.now() + min(timeout.seconds, 1e9)
        return await Queues.blocking.run { [validations] in validations.wait(timeout: deadline) == .success }
    }
}
