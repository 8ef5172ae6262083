// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Converts parameters to a property list. A value that a property list cannot express is refused, and the error
/// contains its path.
package struct PropertyListWriter {
    private let format: PropertyListSerialization.PropertyListFormat

    package init(format: PropertyListSerialization.PropertyListFormat) {
        self.format = format
    }

    /// Returns the property list of a dictionary, an array or any other value.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, which names the parameter that cannot be encoded.
    package static func data(
        of value: Any, format: PropertyListSerialization.PropertyListFormat
    ) throws(NetworkingError) -> Data {
        let writer = PropertyListWriter(format: format)
        let object = try ParameterPath.naming { try writer.object(value, depth: 0) }
        do {
            return try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0)
        } catch {
            throw NetworkingError(
                .invalidRequest, "the parameters cannot be encoded as a property list: \(error)", underlying: error)
        }
    }

    private func object(_ value: Any, depth: Int) throws -> Any {
        switch try ParameterPath.kind(of: value, depth: depth) {
        case .null: throw ParameterPath.fault("a property list cannot represent null, so omit it")
        case .set: throw ParameterPath.fault("a set has no order in a property list, so use an array")
        case .bool(let value): return value
        case .number(let text): return try number(text)
        case .text(let text): return try checked(text)
        case .date(let date): return date
        case .data(let data): return data
        case .dictionary(let members): return try dictionary(members, depth: depth + 1)
        case .array(let elements): return try array(elements, depth: depth + 1)
        }
    }

    private func dictionary(_ members: [(key: String, value: Any)], depth: Int) throws -> [String: Any] {
        var result: [String: Any] = [:]
        for (key, value) in members {
            try ParameterPath.at("." + key) {
                guard result.updateValue(try object(value, depth: depth), forKey: try checked(key)) == nil else {
                    throw ParameterPath.fault("two keys are the same in a property list")
                }
            }
        }
        return result
    }

    private func array(_ elements: [Any], depth: Int) throws -> [Any] {
        var result: [Any] = []
        for (index, element) in elements.enumerated() {
            try ParameterPath.at("[\(index)]") { result.append(try object(element, depth: depth)) }
        }
        return result
    }

    private func number(_ text: String) throws -> Any {
        if let integer = Int64(text) { return integer }
        if let integer = UInt64(text) { return integer }
        guard let number = Double(text), number.isFinite else {
            throw ParameterPath.fault("\(text) is too large for a property list")
        }
        return number
    }

    /// Refuses characters that XML cannot express. Foundation writes them unchanged, and then cannot read its own text.
    private func checked(_ text: String) throws -> String {
        guard format == .xml, let scalar = text.unicodeScalars.first(where: { !Self.isXML($0) }) else { return text }
        let number = String(scalar.value, radix: 16, uppercase: true)
        throw ParameterPath.fault("XML cannot represent its character U+\(number), so use the binary format")
    }

    /// Returns whether XML can express a character (XML 1.0, production 2). A carriage return is excluded too: a reader
    /// would convert it to a line feed.
    private static func isXML(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
