// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// Decides what happens to an operation if one of its dependencies failed, was skipped or was cancelled.
public enum FailedDependencyPolicy: Sendable, Hashable, CaseIterable {
    /// The operation runs when its dependencies have ended, whatever their results, as in Foundation.
    case runAnyway
    /// The operation sends nothing and ends with `NetworkingError.Code.dependencyFailed` when its dependencies have
    /// ended.
    case skip
}

/// The error for a dependency that would close a cycle, in which operations wait for each other forever.
public struct DependencyCycle: Error, Sendable, Hashable, CustomStringConvertible {
    /// The operations of the cycle, by name or by method and URL. Each operation waits for the next; the last name is
    /// the first again.
    public let names: [String]

    /// The largest number of operations that the description names.
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
    /// The operation's name in messages and graphs: its `name`; otherwise the method and URL of a request operation,
    /// without parts of the URL that may be secret, or the type of another operation.
    var graphName: String {
        if let name { return name }
        guard let request = (self as? RequestOperation)?.request else { return "\(type(of: self))" }
        let url = URLText.withoutUserInfo(request.url?.absoluteString ?? "").prefix { $0 != "?" && $0 != "#" }
        return "\(request.httpMethod ?? "GET") \(url)"
    }
}
