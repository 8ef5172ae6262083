// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// What becomes of an operation when one that it depends on failed, was skipped or was cancelled.
public enum FailedDependencyPolicy: Sendable, Hashable, CaseIterable {
    /// It runs once its dependencies have ended, however they ended: Foundation's meaning of a dependency.
    case runAnyway
    /// It ends with `NetworkingError.Code.dependencyFailed`, once its dependencies have ended, and sends nothing.
    case skip
}

/// A dependency was refused, because operations would have waited for one another in a circle, for ever.
public struct DependencyCycle: Error, Sendable, Hashable, CustomStringConvertible {
    /// The operations by name, or by method and URL: each waits for the next; the last is the first again.
    public let names: [String]

    /// The longest cycle that is spelled out.
    private static let spelledCount = 10

    init(_ operations: [Operation]) {
        names = operations.map(\.graphName)
    }

    public var description: String {
        guard names.count > Self.spelledCount + 1, let first = names.first else {
            return "dependency cycle: " + names.joined(separator: " -> ")
        }
        let leftOut = names.count - 1 - Self.spelledCount
        let spelled = names.prefix(Self.spelledCount) + ["(\(leftOut) more)", first]
        return "dependency cycle: " + spelled.joined(separator: " -> ")
    }
}

extension Operation {
    /// What messages and pictures call an operation: its name, else method and URL without what may be secret.
    var graphName: String {
        if let name { return name }
        guard let request = (self as? RequestOperation)?.request else { return "\(type(of: self))" }
        let url = URLText.withoutUserInfo(request.url?.absoluteString ?? "").prefix { $0 != "?" && $0 != "#" }
        return "\(request.httpMethod ?? "GET") \(url)"
    }
}
