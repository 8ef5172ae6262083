// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet

/// The request that is traced. The trace begins with this function.
func tracedRequest(_ manager: RequestOperationManager, _ url: String) async throws -> [Int] {
    try await manager.get(url, as: [Int].self).value
}
