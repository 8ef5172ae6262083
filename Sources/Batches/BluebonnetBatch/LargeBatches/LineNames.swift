// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The ids of a batch's lines, by the places of the lines in their file or stream, from 0. A line without an id is
/// called by its number, for which nothing is stored.
struct LineNames: Sendable {
    private static let none = UInt32.max

    /// The ids that lines have themselves, and those that lines wait for.
    private var texts = TextTable()
    /// The place of the line that has a text as its id, by the text's number.
    private var owners: [UInt32] = []
    /// The numbers of the lines, by place.
    private var numbers: [UInt32] = []
    /// The numbers of their ids in `texts`, by place.
    private var ownTexts: [UInt32] = []
    /// Whether a line has an id that could be the number of another one.
    private var hasNumericID = false

    /// The number of lines.
    var count: Int { numbers.count }

    /// Adds a line; when its id is that of an earlier one, gives the place of that line, and the id stays the earlier
    /// line's.
    mutating func add(number: Int, id: String?) -> Int? {
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

    /// A number for an id that a line waits for, to be looked up when all lines are there.
    mutating func mention(_ id: String) -> Int { textNumber(of: id) }

    /// The place of the line with an id that was mentioned; nil when there is none.
    func place(ofMention mention: Int) -> Int? {
        if owners[mention] != Self.none { return Int(owners[mention]) }
        return place(ofNumber: texts[mention])
    }

    /// The place of the line with an id; nil when there is none.
    func place(of id: String) -> Int? {
        if let text = texts.number(of: id), owners[text] != Self.none { return Int(owners[text]) }
        return place(ofNumber: id)
    }

    /// The place of the line that has the id already which a new line is to have.
    func place(ofDuplicate id: String?, number: Int) -> Int? {
        if let id { return place(of: id) }
        return hasNumericID ? place(of: String(number)) : nil
    }

    /// The id of the line at a place.
    func id(at place: Int) -> String {
        ownTexts[place] == Self.none ? String(numbers[place]) : texts[Int(ownTexts[place])]
    }

    /// The number of the line at a place.
    func number(at place: Int) -> Int { Int(numbers[place]) }

    private mutating func textNumber(of id: String) -> Int {
        let text = texts.insert(id)
        if text == owners.count { owners.append(Self.none) }
        return text
    }

    /// The place of the line without an id that has a number.
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

    /// The number of a line that a text could be.
    private static func number(of text: String) -> UInt32? {
        guard let first = text.utf8.first, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(first) else { return nil }
        return UInt32(text)
    }
}
