// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct SentRequestsDifferenceTests {
    /// A manager that has sent a GET for /users/1 and a POST with JSON for /orders.
    private func manager() async throws -> RequestOperationManager {
        let manager = RequestOperationManager { _ in .json([1]) }
        _ = try await manager.get("users/1", headers: ["X-A": "1"])
        _ = try await manager.post("orders", body: .json(["article": 8]))
        return manager
    }

    /// The error of a comparison outside a macro. Inside a macro, the error would name the macro.
    private func difference(_ compare: () throws(SentRequestsDifference) -> Void) -> SentRequestsDifference? {
        do throws(SentRequestsDifference) {
            try compare()
            return nil
        } catch {
            return error
        }
    }

    @Test func sameRequestsDoNotDiffer() async throws {
        let manager = try await manager()
        try manager.expectSent(.get("/users/1", headers: ["x-a": "1"]), .post("/orders", body: .json(["article": 8])))
        try manager.expectSent([.post("/orders"), .get("https://server.test/users/1")], inAnyOrder: true)
    }

    @Test func changedRequestIsShownWithItsDifferences() async throws {
        let manager = try await manager()
        let (file, line) = (#fileID, #line + 2)
        let difference = difference { () throws(SentRequestsDifference) in
            try manager.expectSent(
                .get("/users/1", headers: ["X-A": "2", "X-B": "3"]), .post("/orders", body: .json(["article": 7])))
        }
        #expect(
            difference?.description == """
                \(file):\(line): the sent requests differ from the expected ones (- missing, + not expected):
                  - GET /users/1
                  + GET /users/1
                      field x-a: expected 2, sent 1
                      field x-b: expected 3, sent none
                  - POST /orders {"article":7}
                  + POST /orders {"article":8}
                      body: expected {"article":7}, sent {"article":8}
                """)
    }

    @Test func missingAndSurplusRequestsKeepTheOthersInPlace() async throws {
        let manager = try await manager()
        let (file, line) = (#fileID, #line + 2)
        let difference = difference { () throws(SentRequestsDifference) in
            try manager.expectSent(.get("/users/1"), .delete("/users/1"), .post("/orders"), .put("/users/2"))
        }
        #expect(
            difference?.description == """
                \(file):\(line): the sent requests differ from the expected ones (- missing, + not expected):
                    GET /users/1
                  - DELETE /users/1
                    POST /orders {"article":8}
                  - PUT /users/2
                """)
        let surplus = #expect(throws: SentRequestsDifference.self) { try manager.expectSent(.post("/orders")) }
        #expect(surplus?.description.contains("\n  + GET /users/1\n    POST /orders") == true)
    }

    @Test func orderMattersByDefault() async throws {
        let manager = try await manager()
        #expect(throws: SentRequestsDifference.self) { try manager.expectSent(.post("/orders"), .get("/users/1")) }
    }

    @Test func specificExpectationIsMatchedBeforeAGeneralOne() async throws {
        let manager = RequestOperationManager { _ in .json([1]) }
        _ = try await manager.post("a", body: .text("1"))
        _ = try await manager.post("a", body: .text("2"))
        try manager.expectSent([.post("/a"), .post("/a", body: .text("1"))], inAnyOrder: true)
    }

    @Test func binaryBodyIsShownByItsLength() {
        let url = URL(fileURLWithPath: "/a")
        #expect(SentRequest("PUT", url, body: Data([0, 1, 2])).description == "PUT /a (3 bytes)")
    }
}
