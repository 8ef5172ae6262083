// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct DescriptorSetTests {
    @Test func setContainsInsertedDescriptorsUntilRemoved() {
        var set = DescriptorSet()
        for descriptor: CInt in [7, 0, 300, 7] { set.insert(descriptor) }
        set.remove(300)
        set.remove(5)
        set.remove(1_000)
        #expect(Array(set) == [0, 7])
        #expect(set.contains(0) && set.contains(7))
        #expect(!set.contains(300) && !set.contains(5) && !set.contains(1_000) && !set.contains(-1))
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>) func randomOperationsMatchAPlainSet(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (set, model) = (DescriptorSet(), Set<CInt>())
        for _ in 0..<500 {
            let descriptor = CInt.random(in: 0..<80, using: &random)
            if Bool.random(using: &random) {
                set.insert(descriptor)
                model.insert(descriptor)
            } else {
                set.remove(descriptor)
                model.remove(descriptor)
            }
        }
        #expect(Array(set) == model.sorted())
    }
}
