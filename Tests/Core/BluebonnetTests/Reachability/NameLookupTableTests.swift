// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct NameLookupTableTests {
    private let address = IPAddress(bytes: [192, 0, 2, 1])!

    @Test func nameIsLookedUpOnce() {
        var table = NameLookupTable()
        #expect(table.add("a") == true)
        #expect(table.add("a") == false)
        #expect(table.addresses(of: "a") == nil)
    }

    @Test func foundAddressesAreKnown() {
        var table = NameLookupTable()
        _ = table.add("a")
        #expect(table.lookUpEnded("a", [address]) == false)
        #expect(table.addresses(of: "a") == [address])
    }

    @Test func nameWithoutAddressesIsKnown() {
        var table = NameLookupTable()
        _ = table.add("a")
        _ = table.lookUpEnded("a", [])
        #expect(table.addresses(of: "a") == [])
    }

    @Test func networkChangeRepeatsAllLookUps() {
        var table = NameLookupTable()
        for name in ["b", "a"] {
            _ = table.add(name)
            _ = table.lookUpEnded(name, [address])
        }
        #expect(table.networkChanged() == ["a", "b"])
        #expect(table.addresses(of: "a") == [address], "the old addresses count until the new ones are there")
    }

    @Test func changeDuringALookUpTriggersAnotherLookUp() {
        var table = NameLookupTable()
        _ = table.add("a")
        #expect(table.networkChanged() == [])
        #expect(table.networkChanged() == [])
        #expect(table.lookUpEnded("a", [address]) == true)
        #expect(table.lookUpEnded("a", [address]) == false)
    }

    @Test func unusedDomainIsForgotten() {
        var table = NameLookupTable()
        _ = table.add("a")
        _ = table.add("a")
        _ = table.lookUpEnded("a", [address])
        table.remove("a")
        #expect(table.addresses(of: "a") == [address])
        table.remove("a")
        #expect(table.addresses(of: "a") == nil)
        #expect(table.networkChanged() == [])
    }

    @Test func domainAddedDuringALookUpIsResolvedAfresh() {
        var table = NameLookupTable()
        _ = table.add("a")
        table.remove("a")
        #expect(table.add("a") == false)
        #expect(table.lookUpEnded("a", [address]) == true)
    }

    @Test func resultForAnUnusedDomainIsDropped() {
        var table = NameLookupTable()
        _ = table.add("a")
        table.remove("a")
        #expect(table.lookUpEnded("a", [address]) == false)
        #expect(table.addresses(of: "a") == nil)
    }
}
