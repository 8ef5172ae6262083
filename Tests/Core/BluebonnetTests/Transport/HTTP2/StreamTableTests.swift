// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct StreamTableTests {
    private final class Owner {}

    private let one = Owner()
    private let other = Owner()
    private var table = StreamTable<Owner>()

    private func stream(_ session: Int, _ number: Int32) throws -> OpenStreamID {
        OpenStreamID(session: try #require(UnsafeRawPointer(bitPattern: session)), number: number)
    }

    /// Opens a stream for an owner in a separate call.
    private mutating func open(_ stream: OpenStreamID, for owner: Owner) {
        table.streamWillOpen(for: owner)
        #expect(table.open(stream) === owner)
        table.endCall()
    }

    @Test mutating func streamsWithEqualNumbersOnTwoConnectionsAreDistinct() throws {
        open(try stream(16, 1), for: one)
        open(try stream(32, 1), for: other)
        #expect(table.owner(of: try stream(16, 1)) === one)
        #expect(table.owner(of: try stream(32, 1)) === other)
        #expect(table.owner(of: try stream(16, 3)) == nil)
    }

    @Test mutating func onlyTheFirstStreamOfACallGetsTheOwner() throws {
        table.streamWillOpen(for: one)
        #expect(table.open(try stream(16, 1)) === one)
        #expect(table.open(try stream(16, 3)) == nil)
        #expect(table.owner(of: try stream(16, 3)) == nil)
    }

    @Test mutating func streamOpenedInALaterCallIsUnknown() throws {
        table.streamWillOpen(for: one)
        table.endCall()
        #expect(table.open(try stream(16, 1)) == nil)
    }

    /// A new session has the address of a closed session, and its stream has the same number.
    @Test(arguments: [false, true]) mutating func reusedAddressBelongsToTheNewStream(isKnown: Bool) throws {
        open(try stream(16, 1), for: one)
        if isKnown { open(try stream(16, 1), for: other) } else { _ = table.open(try stream(16, 1)) }
        #expect(table.owner(of: try stream(16, 1)) === (isKnown ? other : nil))
        table.remove(one, of: try stream(16, 1))
        #expect(table.owner(of: try stream(16, 1)) === (isKnown ? other : nil))
    }

    @Test mutating func removedOwnerGetsNoFurtherStreams() throws {
        open(try stream(16, 1), for: one)
        table.remove(one, of: try stream(16, 1))
        #expect(table.owner(of: try stream(16, 1)) == nil)
        table.streamWillOpen(for: other)
        table.remove(other, of: nil)
        #expect(table.open(try stream(16, 3)) == nil)
    }
}
