// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// A body that a server sends in part or whole, and the way of an archive to another process.
struct ArchiveFixture {
    let file = Representation(body: .patterned(byteCount: 300_000), etag: "\"one\"")

    /// The first 200,000 bytes, then a stall.
    var part: Reply { file.whole.cut(afterByteCount: file.whole.bytes.count - 100_000, then: .stall) }

    func sent(_ archive: OperationArchive) throws -> OperationArchive {
        try JSONDecoder().decode(OperationArchive.self, from: JSONEncoder().encode(archive))
    }

    func startAndReceive(_ operation: RequestOperation) async {
        let arrived = Gate()
        operation.onDownloadProgress = { _, total, _ in if total > 0 { arrived.open() } }
        operation.start()
        await arrived.wait()
    }
}
