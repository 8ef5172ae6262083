// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct DomainBookTests {
    private let address = IPAddress(bytes: [192, 0, 2, 1])!

    @Test func aNameIsLookedUpOnceForAll() {
        var book = DomainBook()
        #expect(book.add("a") == true)
        #expect(book.add("a") == false)
        #expect(book.addresses(of: "a") == nil)
    }

    @Test func foundAddressesAreKnown() {
        var book = DomainBook()
        _ = book.add("a")
        #expect(book.lookUpEnded("a", [address]) == false)
        #expect(book.addresses(of: "a") == [address])
    }

    @Test func aNameWithoutAddressesIsKnownToHaveNone() {
        var book = DomainBook()
        _ = book.add("a")
        _ = book.lookUpEnded("a", [])
        #expect(book.addresses(of: "a") == [])
    }

    @Test func aChangeOfTheNetworkLooksAllNamesUpAgain() {
        var book = DomainBook()
        for name in ["b", "a"] {
            _ = book.add(name)
            _ = book.lookUpEnded(name, [address])
        }
        #expect(book.networkChanged() == ["a", "b"])
        #expect(book.addresses(of: "a") == [address], "the old addresses count until the new ones are there")
    }

    @Test func aChangeDuringALookUpIsFollowedByAnotherOne() {
        var book = DomainBook()
        _ = book.add("a")
        #expect(book.networkChanged() == [])
        #expect(book.networkChanged() == [])
        #expect(book.lookUpEnded("a", [address]) == true)
        #expect(book.lookUpEnded("a", [address]) == false)
    }

    @Test func domainThatNobodyWantsIsForgotten() {
        var book = DomainBook()
        _ = book.add("a")
        _ = book.add("a")
        _ = book.lookUpEnded("a", [address])
        book.remove("a")
        #expect(book.addresses(of: "a") == [address])
        book.remove("a")
        #expect(book.addresses(of: "a") == nil)
        #expect(book.networkChanged() == [])
    }

    @Test func domainWantedAgainDuringALookUpWaitsForAFreshOne() {
        var book = DomainBook()
        _ = book.add("a")
        book.remove("a")
        #expect(book.add("a") == false)
        #expect(book.lookUpEnded("a", [address]) == true)
    }

    @Test func aLookUpThatNobodyWaitsForEndsInNothing() {
        var book = DomainBook()
        _ = book.add("a")
        book.remove("a")
        #expect(book.lookUpEnded("a", [address]) == false)
        #expect(book.addresses(of: "a") == nil)
    }
}
