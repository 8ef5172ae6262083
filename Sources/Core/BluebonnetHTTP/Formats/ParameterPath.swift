// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The error of an encoder: the path of a parameter, and why it cannot be encoded. The path grows while the error
/// propagates to the caller.
package struct ParameterPath {
    /// The maximum nesting depth of containers. Deeper parameters are refused, so that no encoder overflows the stack.
    package static let maximumDepth = 512

    private var steps: [String] = []
    private let reason: String

    /// Makes the error of the current value.
    private init(_ reason: String) { self.reason = reason }

    /// Runs one step of an encoder. An error that the step throws gets the step added to its path.
    package static func at(_ step: @autoclosure () -> String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch var path as ParameterPath {
            path.steps.append(step())
            throw path
        }
    }

    /// Determines the kind of a value, or throws a path that starts here.
    package static func kind(of value: Any, depth: Int) throws -> ParameterValue {
        guard depth <= maximumDepth else { throw ParameterPath("it is nested deeper than \(maximumDepth) levels") }
        do {
            return try ParameterValue(value)
        } catch {
            throw ParameterPath(error.reason)
        }
    }

    /// Makes an error that is specific to one encoding.
    package static func fault(_ reason: String) -> ParameterPath { ParameterPath(reason) }

    /// Converts a path to the error that callers receive.
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

    /// The path as text, such as `user.roles[2]`; only the outer part of a very long path.
    private var text: String {
        let shown = steps.reversed().prefix(20).joined() + (steps.count > 20 ? "…" : "")
        return shown.hasPrefix(".") ? String(shown.dropFirst()) : shown
    }
}

extension ParameterPath: Error {}
