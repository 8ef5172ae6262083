// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import LoadClients

extension MixedRequest {
    /// The URL, the fields and the body, one line each. The body's line is empty for a GET.
    var text: String {
        [
            url, "\(Field.traceParent): \(traceParent)", "\(Field.idempotencyKey): \(idempotencyKey)",
            "\(Field.authorization): \(authorization)", body ?? "",
        ].joined(separator: "\n")
    }
}
