// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if DEBUG || BLUEBONNET_FUZZING
    import CPostgreSQL
    import Foundation

    @testable import BluebonnetFleet

    extension FuzzTarget {
        /// A value that is encoded for PostgreSQL and decoded again. The first byte chooses its type, the rest is its
        /// content.
        static let databaseValues = FuzzTarget("database-values") { input in
            var input = input
            let kind = input.byte()
            let bytes = Array(input.rest)
            let numbers = stride(from: 0, to: bytes.count - 7, by: 8).map { start in
                Int(truncatingIfNeeded: bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
            }
            let number = numbers.first ?? 0
            switch kind % 6 {
            case 0:
                let text = String(decoding: bytes, as: UTF8.self)
                try hold(try column(.text(text)).text(0, 0).utf8.elementsEqual(text.utf8), "the text")
            case 1: try holdSame(try column(.bytes(Data(bytes))).bytes(0, 0), Data(bytes), "the bytes")
            case 2: try holdSame(try column(.integer(number)).integer(0, 0), number, "the number")
            case 3: try holdSame(try column(.integers(numbers)).integers(0, 0), numbers, "the numbers")
            case 4:
                let value = Double(bitPattern: UInt64(bitPattern: Int64(number)))
                try holdSame(try column(.double(value)).double(0, 0).bitPattern, value.bitPattern, "the fraction")
            default:
                try holdSame(try column(.bool(number > 0)).bool(0, 0), number > 0, "the truth value")
                try hold(try column(.null).isNull(0, 0), "no value is null")
                try holdSame(try column(.null).optionalText(0, 0), nil, "no text")
            }
        }

        /// A result with one row and one column, as libpq makes it from a server's data.
        private static func column(_ value: PostgreSQLValue) throws(FuzzFinding) -> PostgreSQLResult {
            guard let result = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else { throw FuzzFinding("no result") }
            var bytes: [UInt8] = []
            let hasValue = value.write(to: &bytes)
            let isMade = "value".withCString { name in
                var description = PGresAttDesc()
                description.name = UnsafeMutablePointer(mutating: name)
                (description.format, description.typlen, description.typid) = (1, -1, value.objectID)
                return PQsetResultAttrs(result, 1, &description) == 1
            }
            let isSet = bytes.withUnsafeMutableBytes { buffer in
                let start = buffer.bindMemory(to: CChar.self).baseAddress
                return PQsetvalue(result, 0, 0, start, hasValue ? CInt(buffer.count) : -1) == 1
            }
            let column = PostgreSQLResult(result)
            try hold(isMade && isSet, "libpq takes the value")
            return column
        }
    }
#endif
