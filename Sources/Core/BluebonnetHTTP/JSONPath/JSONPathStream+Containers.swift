// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A member of an object is repeated after values of the earlier member were delivered. Only the later member counts.
package struct JSONPathRepeatedMember: Error, Equatable {
    /// The name of the member.
    package let name: String
    /// The offset of the later name in bytes of the text.
    package let offset: Int
}

// Arrays and objects. The text is at the opening bracket; afterwards, it is after the closing one.
extension JSONPathStream {
    mutating func visitArray(
        _ segment: JSONPathSegment, _ index: Int, depth: Int, _ deliver: Delivery
    ) throws {
        guard segment.selectors.count == 1 else { return try visitChildren(segment, index, depth: depth, deliver) }
        switch segment.selectors[0] {
        case .wildcard: try visitElements(0, .max, 1, index, depth: depth, deliver)
        case .index(let wanted) where wanted >= 0:
            try visitElements(wanted, wanted + 1, 1, index, depth: depth, deliver)
        case .slice(let slice) where (slice.start ?? 0) >= 0 && (slice.end ?? 0) >= 0 && slice.step > 0:
            try visitElements(slice.start ?? 0, slice.end ?? .max, slice.step, index, depth: depth, deliver)
        case .filter(let condition):
            guard try text.enter("]", depth: depth) else { return }
            repeat { try visitIfTrue(condition, index + 1, depth: depth + 1, deliver) } while text.skip(",")
            try text.expect("]")
        case .name: try text.skipValue(depth: depth)
        case .index, .slice: try visitChildren(segment, index, depth: depth, deliver)
        }
    }

    /// Applies the next segment to each element of `stride(from: lower, to: upper, by: step)`, as it is reached.
    private mutating func visitElements(
        _ lower: Int, _ upper: Int, _ step: Int, _ index: Int, depth: Int, _ deliver: Delivery
    ) throws {
        guard try text.enter("]", depth: depth) else { return }
        var (current, wanted) = (0, lower)
        repeat {
            if current == wanted, current < upper {
                try visit(index + 1, depth: depth + 1, deliver)
                wanted += step
            } else {
                try text.skipValue(depth: depth + 1)
            }
            current += 1
        } while text.skip(",")
        try text.expect("]")
    }

    mutating func visitObject(
        _ segment: JSONPathSegment, _ index: Int, depth: Int, _ deliver: Delivery
    ) throws {
        guard segment.selectors.count == 1 else { return try visitChildren(segment, index, depth: depth, deliver) }
        switch segment.selectors[0] {
        case .name: try visitMember(index, depth: depth, deliver)
        case .wildcard, .filter: try visitChildren(segment, index, depth: depth, deliver)
        case .index, .slice: try text.skipValue(depth: depth)
        }
    }

    /// Applies the next segment to the member with the segment's name, as it is reached. If the name is repeated later,
    /// the earlier member does not count, which is an error if values of it were delivered.
    private mutating func visitMember(_ index: Int, depth: Int, _ deliver: Delivery) throws {
        guard try text.enter("}", depth: depth) else { return }
        let before = deliveredCount
        repeat {
            text.skipSpace()
            let place = text.position
            guard try skipName(isEqualTo: names[index]) else {
                try text.skipValue(depth: depth + 1)
                continue
            }
            guard deliveredCount == before else {
                throw JSONPathRepeatedMember(name: String(decoding: names[index], as: UTF8.self), offset: place)
            }
            try visit(index + 1, depth: depth + 1, deliver)
        } while text.skip(",")
        try text.expect("}")
    }

    /// Skips the name of a member and the colon. Returns whether the name is this one.
    private mutating func skipName(isEqualTo name: [UInt8]) throws(JSONPathText.Invalid) -> Bool {
        text.hasEscape = false
        let range = try text.skipName()
        if text.hasEscape { return decodedName(range).utf8.elementsEqual(name) }
        guard range.count == name.count else { return false }
        for offset in 0..<name.count where text.bytes[range.lowerBound + offset] != name[offset] { return false }
        return true
    }

    private func decodedName(_ range: Range<Int>) -> String {
        var start = range.lowerBound - 1
        return (try? JSONParser.value(at: &start, in: text.bytes, depth: 0))?.string ?? ""
    }
}

// MARK: - All children

extension JSONPathStream {
    /// A child that was skipped.
    private struct Child {
        /// The name; empty in an array.
        let name: ByteString
        let range: Range<Int>
    }

    /// Applies selectors that need all children: several selectors, negative indices, and members in sorted order. The
    /// array or object is skipped once, then the selected children are visited.
    private mutating func visitChildren(
        _ segment: JSONPathSegment, _ index: Int, depth: Int, _ deliver: Delivery
    ) throws {
        let isArray = text.byte == UInt8(ascii: "[")
        let children = isArray ? try skipElements(depth: depth) : try skipMembers(depth: depth)
        for selector in segment.selectors {
            if case .filter(let condition) = selector {
                let end = text.position
                for child in children {
                    try spend(child.range)
                    text.position = child.range.lowerBound
                    try visitIfTrue(condition, index + 1, depth: depth + 1, deliver)
                }
                text.position = end
                continue
            }
            for child in selected(selector, of: children, isArray: isArray) {
                try visit(child.range, index + 1, depth: depth + 1, deliver)
            }
        }
    }

    private func selected(_ selector: JSONPathSelector, of children: [Child], isArray: Bool) -> [Child] {
        switch selector {
        case .wildcard, .filter: return children
        case .name(let name): return isArray ? [] : Self.member(name, of: children)
        case .index(let index):
            let index = index >= 0 ? index : children.count + index
            return isArray && children.indices.contains(index) ? [children[index]] : []
        case .slice(let slice): return isArray ? slice.indices(count: children.count).map { children[$0] } : []
        }
    }

    /// Finds the member in the sorted members. A path can have thousands of names.
    private static func member(_ name: ByteString, of members: [Child]) -> [Child] {
        var (lower, upper) = (0, members.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if members[middle].name < name { lower = middle + 1 } else { upper = middle }
        }
        return lower < members.count && members[lower].name == name ? [members[lower]] : []
    }

    private mutating func skipElements(depth: Int) throws(JSONPathText.Invalid) -> [Child] {
        var children: [Child] = []
        guard try text.enter("]", depth: depth) else { return children }
        repeat {
            text.skipSpace()
            let start = text.position
            try text.skipValue(depth: depth + 1)
            children.append(Child(name: ByteString(""), range: start..<text.position))
        } while text.skip(",")
        try text.expect("]")
        return children
    }

    /// Skips the members. If a name is repeated, only the later member is returned.
    private mutating func skipMembers(depth: Int) throws(JSONPathText.Invalid) -> [Child] {
        var members: [ByteString: Range<Int>] = [:]
        guard try text.enter("}", depth: depth) else { return [] }
        repeat {
            text.hasEscape = false
            let range = try text.skipName()
            let name = text.hasEscape ? decodedName(range) : String(decoding: text.bytes[range], as: UTF8.self)
            text.skipSpace()
            let start = text.position
            try text.skipValue(depth: depth + 1)
            members[ByteString(name)] = start..<text.position
        } while text.skip(",")
        try text.expect("}")
        return members.sorted { $0.key < $1.key }.map { Child(name: $0.key, range: $0.value) }
    }
}

// MARK: - One value

extension JSONPathStream {
    /// Skips the next value. Returns the start of the value in it that the segments from an index on select; nil if
    /// they select no value. These segments have only names and indices. If a name is repeated, the later member
    /// counts.
    mutating func findOne(_ index: Int, depth: Int) throws -> Int? {
        text.skipSpace()
        let start = text.position
        guard index < segments.count else {
            try text.skipValue(depth: depth)
            return start
        }
        switch (text.byte, segments[index].selectors[0]) {
        case (UInt8(ascii: "{"), .name): return try findMember(index, depth: depth)
        case (UInt8(ascii: "["), .index(let wanted)):
            return wanted >= 0
                ? try findElement(wanted, index, depth: depth) : try findElementFromEnd(wanted, index, depth: depth)
        default:
            try text.skipValue(depth: depth)
            return nil
        }
    }

    private mutating func findMember(_ index: Int, depth: Int) throws -> Int? {
        guard try text.enter("}", depth: depth) else { return nil }
        var place: Int?
        repeat {
            if try skipName(isEqualTo: names[index]) {
                place = try findOne(index + 1, depth: depth + 1)
            } else {
                try text.skipValue(depth: depth + 1)
            }
        } while text.skip(",")
        try text.expect("}")
        return place
    }

    private mutating func findElement(_ wanted: Int, _ index: Int, depth: Int) throws -> Int? {
        guard try text.enter("]", depth: depth) else { return nil }
        var (current, place): (Int, Int?) = (0, nil)
        repeat {
            if current == wanted {
                place = try findOne(index + 1, depth: depth + 1)
            } else {
                try text.skipValue(depth: depth + 1)
            }
            current += 1
        } while text.skip(",")
        try text.expect("]")
        return place
    }

    private mutating func findElementFromEnd(_ wanted: Int, _ index: Int, depth: Int) throws -> Int? {
        let elements = try skipElements(depth: depth)
        guard elements.count + wanted >= 0 else { return nil }
        let element = elements[elements.count + wanted].range
        try spend(element)
        let end = text.position
        text.position = element.lowerBound
        let place = try findOne(index + 1, depth: depth + 1)
        text.position = end
        return place
    }
}
