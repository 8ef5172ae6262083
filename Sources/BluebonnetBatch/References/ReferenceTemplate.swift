// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet

/// Text of a request line with references to what other operations returned.
///
/// | text | stands for |
/// |---|---|
/// | `${ID.status}` | the status code |
/// | `${ID.headers.NAME}` | the header's value, whatever the case of NAME; repeated ones joined by `, ` |
/// | `${ID.body}` | the whole body as text |
/// | `${ID.body.PATH}` | a value in the parsed JSON body: names and indices, joined by dots: `user.roles.0` |
/// | `$${` | `${` itself |
///
/// A string of the body is inserted as it is; a number, a truth value and null as their JSON text, a whole number
/// without fraction; an array and an object as compact JSON text, the names in order. What is inserted is not searched
/// for references again.
///
/// An id may hold dots: it ends before the first `.body` or `.headers` that a dot follows, or before a `.body` or
/// `.status` at the end. A reference ends with the first `}`, so no part of it can hold one.
public struct ReferenceTemplate: Sendable, Hashable {
    /// A piece of the text.
    public enum Part: Sendable, Hashable {
        /// Text that stands for itself.
        case literal(String)
        /// A reference that is replaced.
        case reference(Reference)
    }

    /// A reference `${…}`.
    public struct Reference: Sendable, Hashable, CustomStringConvertible {
        /// What is taken from the operation.
        public enum Selector: Sendable, Hashable {
            /// The status code.
            case status
            /// The value of a header.
            case header(String)
            /// The value at the end of a path, or the whole body when the path is empty.
            case body(path: [String])
        }

        /// The id of the operation.
        public let id: String
        /// What is taken from it.
        public let selector: Selector

        /// The reference as it is written.
        public var description: String {
            switch selector {
            case .status: "${\(id).status}"
            case .header(let name): "${\(id).headers.\(name)}"
            case .body(let path): "${\((["\(id).body"] + path).joined(separator: "."))}"
            }
        }
    }

    /// The pieces in their order; no two literals are neighbours, and none is empty.
    public let parts: [Part]

    /// Parses `text`; an error names `field`.
    public init(parsing text: String, field: String? = nil) throws(RequestLineError) {
        do throws(RequestLineError) {
            parts = try ReferenceScanner.parts(of: text)
        } catch {
            throw RequestLineError(field: field, message: error.message)
        }
    }

    /// The references in their order.
    public var references: [Reference] {
        parts.compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
    }

    /// The ids that the text refers to, each once, in their order.
    public var referencedIDs: [String] {
        var seen: Set<String> = []
        return references.map(\.id).filter { seen.insert($0).inserted }
    }

    /// The text with every reference replaced by what `source` gives for its id.
    ///
    /// - Throws: `unresolvedReference` when there is no source, or not in it what the reference names.
    public func resolved(using source: (String) -> ReferenceSource?) throws(NetworkingError) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .reference(let reference):
                guard let source = source(reference.id) else {
                    throw NetworkingError(.unresolvedReference, "\(reference): \(reference.id) has no result")
                }
                text += try source.text(for: reference)
            }
        }
        return text
    }

    /// Whether `text` holds anything but literal text, so that parsing it is worth the while.
    static func isNeeded(for text: String) -> Bool {
        text.hasByte(UInt8(ascii: "$"))
    }
}
