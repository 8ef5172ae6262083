// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

private struct Article: Decodable, Sendable { var name: String }

private struct Client: Sendable {
    let manager: RequestOperationManager

    // BLOCK Errors.md
    func article(_ id: Int) async throws(NetworkingError) -> Article? {
        do {
            return try await manager.get("articles/\(id)")
        } catch {
            guard error.statusCode == 404 else { throw error }
            return nil
        }
    }
    // END
}

extension PageTests {
    @Test func errorsRun() async throws {
        try await Site.serving { site in
            let manager = site.manager
            #expect(try await Client(manager: manager).article(7) == nil)
            await #expect(throws: NetworkingError.self) { try await Client(manager: manager).article(8) }
            printed.update { $0 = [] }
            // BLOCK Errors.md
            Task {
                do throws(NetworkingError) {
                    let me: JSONValue = try await manager.get("me")
                    print(me["name"] ?? "no name")
                } catch {
                    print(error.code, error.isTransient)
                }
            }
            // END
            await printed.becomes { $0.contains(#""Ada""#) }
            // BLOCK Errors.md
            let response = try await manager.get("articles/7", acceptableStatusCodes: [200, 404])
            print(response.statusCode == 404 ? "missing" : "found")
            // END
            #expect(printed.value.last == "missing")
        }
    }
}
