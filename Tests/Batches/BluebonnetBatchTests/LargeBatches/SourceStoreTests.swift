// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite struct SourceStoreTests {
    /// More responses than the store keeps unencoded, and more than it keeps in memory.
    @Test func everyResponseIsFoundWhereverItIsStored() throws {
        var store = SourceStore()
        let body = Data(repeating: 7, count: 3_000)
        for position in 0..<20_000 {
            store.keep(
                ReferenceSource(
                    status: 200 + position % 100, headers: ["X-Number": "\(position)", "Set-Cookie": "ä"],
                    body: body + Data("\(position)".utf8)), at: position)
        }
        for position in stride(from: 0, to: 20_000, by: 97) {
            let found = store.source(at: position)
            let source = try #require(found)
            #expect(source.status == 200 + position % 100)
            #expect(source.headers["x-number"] == "\(position)" && source.headers.values(for: "Set-Cookie") == ["ä"])
            #expect(source.body == body + Data("\(position)".utf8))
        }
        let nothing = store.source(at: 20_000)
        #expect(nothing == nil)
    }

    @Test func absentPartsStayAbsent() throws {
        var store = SourceStore()
        store.keep(ReferenceSource(), at: 0)
        for position in 1..<9_000 { store.keep(ReferenceSource(body: Data()), at: position) }
        let (first, second) = (store.source(at: 0), store.source(at: 1))
        #expect(first != nil && first?.status == nil && first?.headers.isEmpty == true && first?.body == nil)
        #expect(second?.body == Data())
    }
}
