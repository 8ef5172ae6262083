// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Testing

/// The example of RFC 9535, 1.5.
@Suite struct JSONPathBookstoreTests {
    static let books = [
        #"{"category":"reference","author":"Nigel Rees","title":"Sayings of the Century","price":8.95}"#,
        #"{"category":"fiction","author":"Evelyn Waugh","title":"Sword of Honour","price":12.99}"#,
        """
        {"category":"fiction","author":"Herman Melville","title":"Moby Dick","isbn":"0-553-21311-3","price":8.99}
        """,
        """
        {"category":"fiction","author":"J. R. R. Tolkien","title":"The Lord of the Rings","isbn":"0-395-19395-8",
        "price":22.99}
        """,
    ]
    static let bicycle = #"{"color":"red","price":399}"#
    static let document = "{\"store\":{\"book\":[\(books.joined(separator: ","))],\"bicycle\":\(bicycle)}}"

    private func expectSelected(_ path: String, _ expected: String) throws {
        #expect(try JSONPathSample.selected(path, in: Self.document) == JSONPathSample.value(expected), "\(path)")
    }

    @Test(arguments: ["$.store.book[*].author", "$..author"])
    func authorsOfAllBooksAreSelected(path: String) throws {
        try expectSelected(path, #"["Nigel Rees","Evelyn Waugh","Herman Melville","J. R. R. Tolkien"]"#)
    }

    @Test func everythingInStoreIsSelected() throws {
        try expectSelected("$.store.*", "[\(Self.bicycle),[\(Self.books.joined(separator: ","))]]")
    }

    @Test func pricesOfEverythingAreSelected() throws {
        try expectSelected("$.store..price", "[399,8.95,12.99,8.99,22.99]")
    }

    @Test(arguments: [
        ("$..book[2]", [2]), ("$..book[-1]", [3]), ("$..book[0,1]", [0, 1]), ("$..book[:2]", [0, 1]),
        ("$..book[?@.isbn]", [2, 3]), ("$..book[?@.price<10]", [0, 2]), ("$..book[2].publisher", []),
    ])
    func booksAreSelected(path: String, indices: [Int]) throws {
        try expectSelected(path, "[\(indices.map { Self.books[$0] }.joined(separator: ","))]")
        #expect(
            try JSONPathSample.places(path, in: Self.document) == indices.map { "$['store']['book'][\($0)]" })
    }

    @Test func authorOfThirdBookIsSelected() throws {
        try expectSelected("$..book[2].author", #"["Herman Melville"]"#)
    }

    @Test func allDescendantsAreSelected() throws {
        let members = [
            ["author", "category", "price", "title"], ["author", "category", "price", "title"],
            ["author", "category", "isbn", "price", "title"], ["author", "category", "isbn", "price", "title"],
        ]
        let bicycle = ["color", "price"].map { "$['store']['bicycle']['\($0)']" }
        let books = (0..<4).map { "$['store']['book'][\($0)]" }
        let values = zip(books, members).flatMap { book, names in names.map { "\(book)['\($0)']" } }
        let places = try JSONPathSample.places("$..*", in: Self.document)
        #expect(places == ["$['store']", "$['store']['bicycle']", "$['store']['book']"] + bicycle + books + values)
    }
}
