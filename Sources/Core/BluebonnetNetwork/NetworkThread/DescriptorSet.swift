// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A set of descriptors. Descriptors are small numbers, so a lookup needs no hashing.
struct DescriptorSet: Sequence {
    private var isMember: [Bool] = []

    func contains(_ descriptor: CInt) -> Bool {
        isMember.indices.contains(Int(descriptor)) && isMember[Int(descriptor)]
    }

    mutating func insert(_ descriptor: CInt) {
        precondition(descriptor >= 0, "a descriptor is never negative")
        while isMember.count <= Int(descriptor) { isMember.append(false) }
        isMember[Int(descriptor)] = true
    }

    mutating func remove(_ descriptor: CInt) {
        if contains(descriptor) { isMember[Int(descriptor)] = false }
    }

    func makeIterator() -> some IteratorProtocol<CInt> {
        isMember.indices.lazy.filter { isMember[$0] }.map { CInt($0) }.makeIterator()
    }
}
