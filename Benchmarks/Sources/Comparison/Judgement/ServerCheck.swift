// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A condition on the requests that arrived at a case's servers, or on the client's process.
package enum ServerCheck: Sendable {
    /// A server, by number, received at most `atMost` requests with a method; nil means any method.
    case requests(_ server: Int, _ method: String?, atMost: Int)
    /// No request at a server has the field.
    case noField(_ name: String, at: Int)
    /// No request to the path has the field.
    case noFieldOnPath(_ name: String, path: String, at: Int)
    /// No line of any head at a server begins with the prefix, compared without regard to case.
    case noLine(_ prefix: String, at: Int)
    /// No head at a server has the character.
    case noCharacter(_ character: Character, at: Int)
    /// No request at a server has the path.
    case noPath(_ path: String, at: Int)
    /// Every request to the path has one of the methods.
    case methods(_ methods: [String], path: String, at: Int)
    /// Every request to the path has the body.
    case body(_ body: String, path: String, at: Int)
    /// The process used at most this much memory.
    case memory(megabytes: Int)

    /// Returns the violation of the condition; nil if it holds.
    func violation(_ reports: [ServerReport], _ attempt: Attempt) -> String? {
        switch self {
        case .requests(let server, let method, atMost: let limit):
            let count = reports[server].requests.filter { method == nil || $0.method == method }.count
            return count > limit ? "the server got \(count) \(method ?? "requests"), not \(limit)" : nil
        case .noField(let name, at: let server):
            let has = reports[server].requests.contains { $0.value(of: name) != nil }
            return has ? "\(name) reached server \(server)" : nil
        case .noFieldOnPath(let name, let path, at: let server):
            let has = reports[server].requests.contains { $0.path == path && $0.value(of: name) != nil }
            return has ? "\(name) came back" : nil
        case .noLine(let prefix, at: let server):
            let lines = reports[server].requests.flatMap(\.lines)
            return lines.contains { $0.lowercased().hasPrefix(prefix.lowercased()) } ? "\(prefix) was injected" : nil
        case .noCharacter(let character, at: let server):
            let has = reports[server].requests.contains { $0.lines.contains { $0.contains(character) } }
            return has ? "the control character was sent" : nil
        case .noPath(let path, at: let server):
            return reports[server].requests.contains { $0.path == path } ? "\(path) was requested" : nil
        case .methods(let methods, let path, at: let server):
            let other = reports[server].requests.first { $0.path == path && !methods.contains($0.method) }
            return other.map { "the redirect was followed with \($0.method)" }
        case .body(let body, let path, at: let server):
            let other = reports[server].requests.first { $0.path == path && $0.body != Array(body.utf8) }
            return other.map { "\($0.body.count) bytes were sent to \(path), not the body's \(body.utf8.count)" }
        case .memory(megabytes: let limit):
            let megabytes = attempt.peakResidentByteCount / 1_000_000
            return megabytes > limit ? "the process took \(megabytes) MB of memory" : nil
        }
    }
}
