// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Where a parameter stands among the others, and what is wrong with it; the encoders build it as an error climbs out.
package struct ParameterPath {
    /// Containers in containers, at most; deeper parameters are refused, so that no encoder runs out of stack.
    package static let maximumDepth = 512

    private var steps: [String] = []
    private let reason: String

    /// A fault of the value that is being looked at.
    private init(_ reason: String) { self.reason = reason }

    /// Runs one step of an encoder; an error that comes out of it is told which member it came through.
    package static func at(_ step: @autoclosure () -> String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch var path as ParameterPath {
            path.steps.append(step())
            throw path
        }
    }

    /// Sorts a value into its kind, or throws the path that starts here.
    package static func kind(of value: Any, depth: Int) throws -> ParameterValue {
        guard depth <= maximumDepth else { throw ParameterPath("it is nested deeper than \(maximumDepth) levels") }
        do {
            return try ParameterValue(value)
        } catch {
            throw ParameterPath(error.reason)
        }
    }

    /// A fault that only one of the encodings has.
    package static func fault(_ reason: String) -> ParameterPath { ParameterPath(reason) }

    /// Turns a path into the error that callers see.
    package static func naming<Value>(_ encode: () throws -> Value) throws(NetworkingError) -> Value {
        do {
            return try encode()
        } catch let path as ParameterPath {
            let name = path.steps.isEmpty ? "the value" : "parameter " + path.text
            throw NetworkingError(.invalidRequest, "\(name) cannot be encoded: \(path.reason)")
        } catch {
            throw error as? NetworkingError
                ?? NetworkingError(.invalidRequest, "the parameters cannot be encoded: \(error)", underlying: error)
        }
    }

    /// `user.roles[2]`; only the outer part of a path that is very long.
    private var text: String {
        let shown = steps.reversed().prefix(20).joined() + (steps.count > 20 ? "…" : "")
        return shown.hasPrefix(".") ? String(shown.dropFirst()) : shown
    }
}

extension ParameterPath: Error {}
