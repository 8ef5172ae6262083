// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The ids of a batch's lines, by place: the index of the line in its file or stream, from 0. A line without an id is
/// identified by its number, for which no text is stored.
struct LineNames: Sendable {
    private static let none = UInt32.max

    /// The lines' own ids, and the ids of dependencies.
    private var texts = TextTable()
    /// The place of the line that has a text as its id, by the text's number.
    private var owners: [UInt32] = []
    /// The numbers of the lines, by place.
    private var numbers: [UInt32] = []
    /// The numbers of the lines' own ids in `texts`, by place.
    private var ownTexts: [UInt32] = []
    /// The places of the lines with `paginate`, whose pages can be mentioned as `ID/1`.
    private var pagedPlaces: Set<Int> = []
    /// Whether any line has an id that could be the number of another line.
    private var hasNumericID = false

    /// The number of lines.
    var count: Int { numbers.count }

    /// Adds a line. If an earlier line has the same id, returns the place of that line, which keeps the id.
    ///
    /// - Parameter isPaged: whether the line has pages.
    mutating func add(number: Int, id: String?, isPaged: Bool = false) -> Int? {
        if isPaged { pagedPlaces.insert(numbers.count) }
        let earlier = place(ofDuplicate: id, number: number)
        numbers.append(UInt32(number))
        guard let id else {
            ownTexts.append(Self.none)
            return earlier
        }
        let text = textNumber(of: id)
        ownTexts.append(UInt32(text))
        if earlier == nil { owners[text] = UInt32(numbers.count - 1) }
        if Self.number(of: id) != nil { hasNumericID = true }
        return earlier
    }

    /// Returns a number for the id of a dependency. The number is resolved with `place(ofMention:)` once all lines are
    /// added.
    mutating func mention(_ id: String) -> Int { textNumber(of: id) }

    /// Returns the place of the line with a mentioned id; nil if no line has it.
    func place(ofMention mention: Int) -> Int? {
        if owners[mention] != Self.none { return Int(owners[mention]) }
        return place(ofNumber: texts[mention]) ?? place(ofPage: texts[mention])
    }

    /// Returns the place of the line with an id; nil if no line has it.
    func place(of id: String) -> Int? {
        if let text = texts.number(of: id), owners[text] != Self.none { return Int(owners[text]) }
        return place(ofNumber: id) ?? place(ofPage: id)
    }

    /// Whether a text was mentioned as the id of a dependency, or is the id of a line.
    func isMentioned(_ text: String) -> Bool { texts.number(of: text) != nil }

    /// Returns the place of the line with the page of this id; nil if no line has it.
    private func place(ofPage id: String) -> Int? {
        guard !pagedPlaces.isEmpty, let line = PageID.line(of: id), let place = place(of: line) else { return nil }
        return pagedPlaces.contains(place) ? place : nil
    }

    /// Returns the place of the line that already has the id of a new line; nil if the id is new.
    func place(ofDuplicate id: String?, number: Int) -> Int? {
        if let id { return place(of: id) }
        return hasNumericID ? place(of: String(number)) : nil
    }

    /// Returns the id of the line at a place.
    func id(at place: Int) -> String {
        ownTexts[place] == Self.none ? String(numbers[place]) : texts[Int(ownTexts[place])]
    }

    /// Returns the mentioned id.
    func text(ofMention mention: Int) -> String { texts[mention] }

    /// Whether an id names a page of the line at a place, not the line.
    func isPage(_ id: String, at place: Int) -> Bool { !FieldSyntax.isSameText(self.id(at: place), id) }

    /// Returns the number of the line at a place.
    func number(at place: Int) -> Int { Int(numbers[place]) }

    private mutating func textNumber(of id: String) -> Int {
        let text = texts.insert(id)
        if text == owners.count { owners.append(Self.none) }
        return text
    }

    /// Returns the place of the line with a number and without its own id.
    private func place(ofNumber text: String) -> Int? {
        guard let number = Self.number(of: text) else { return nil }
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        guard low < numbers.count, numbers[low] == number, ownTexts[low] == Self.none else { return nil }
        return low
    }

    /// Returns the line number that a text denotes; nil if it denotes none.
    private static func number(of text: String) -> UInt32? {
        guard let first = text.utf8.first, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(first) else { return nil }
        return UInt32(text)
    }
}
