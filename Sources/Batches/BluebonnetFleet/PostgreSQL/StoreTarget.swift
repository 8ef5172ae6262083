// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CPostgreSQL
internal import Foundation
internal import Glibc

/// Checks connection strings before libpq uses them.
///
/// If a password contains a character that should have been escaped, libpq takes a part of the password for a host, a
/// port or a keyword, and shows that part in its errors. So invalid connection strings are refused here, with messages
/// that contain no part of them.
enum StoreTarget {
    private static let hint =
        "in a URI, write @, / and ? in a password as %40, %2F and %3F; elsewhere, put a password with "
        + "spaces in quotes"

    /// - Throws: `refused` for a connection string that libpq cannot read or would misread.
    static func check(_ target: String) throws(FleetError) {
        let isURI = ["postgresql://", "postgres://"].contains { target.hasPrefix($0) }
        guard isURI || target.contains("=") else {
            // Any other text is the name of a database, which errors show.
            guard !target.contains("@"), !target.contains("://") else {
                throw unusable("it neither starts with postgresql:// nor contains keyword=value")
            }
            return
        }
        var problem: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(target, &problem) else {
            defer { PQfreemem(problem) }
            let reason = problem.map { withoutQuotations(String(cString: $0)) } ?? "out of memory"
            throw unusable(reason)
        }
        defer { PQconninfoFree(options) }
        if isURI, hasSecondAtSign(target) { throw unusable("its host or database contains an @") }
        if let port = value(of: "port", options), !port.isEmpty, !port.split(separator: ",").allSatisfy(isPort) {
            throw unusable("its port is not a number from 1 to 65535")
        }
    }

    /// Returns a connection string without the parameter `pooler`, which libpq does not know, and the parameter's
    /// value.
    ///
    /// - Throws: `refused` for another value than `transaction` and `session`.
    static func poolerMode(of target: String) throws(FleetError) -> (target: String, mode: PoolerMode) {
        let isURI = ["postgresql://", "postgres://"].contains { target.hasPrefix($0) }
        var (target, value): (String, String?) = (target, nil)
        if isURI, let start = target.firstIndex(of: "?") {
            let items = target[target.index(after: start)...].split(separator: "&", omittingEmptySubsequences: false)
            let others = items.filter { !$0.hasPrefix("pooler=") }
            value = items.last { $0.hasPrefix("pooler=") }.map { String($0.dropFirst("pooler=".count)) }
            if value != nil {
                target = target[..<start] + (others.isEmpty ? "" : "?" + others.joined(separator: "&"))
            }
        } else if !isURI, let found = target.firstMatch(of: #/(?:^|\s)pooler\s*=\s*'?(\w*)'?(?=\s|$)/#) {
            value = String(found.1)
            target.replaceSubrange(found.range, with: "")
        }
        guard let value else { return (target, .detected) }
        guard let mode = PoolerMode(rawValue: value) else {
            throw FleetError(
                .refused, "the store's connection string cannot be used: pooler is transaction or session")
        }
        return (target, mode)
    }

    /// Returns the passwords of a connection, which no error may show.
    static func secrets(_ connection: OpaquePointer) -> [String] {
        guard let options = PQconninfo(connection) else { return [] }
        defer { PQconninfoFree(options) }
        return ["password", "sslpassword"].compactMap { value(of: $0, options) }.filter { $0.count > 2 }
    }

    private static func unusable(_ reason: String) -> FleetError {
        FleetError(.refused, "the store's connection string cannot be used: \(reason) (\(hint))")
    }

    /// Returns a message without libpq's quotations from the connection string: everything between the first and the
    /// last quotation mark is removed, since a quotation may contain quotation marks.
    static func withoutQuotations(_ message: String) -> String {
        let text = message.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let first = text.firstIndex(of: "\""), let last = text.lastIndex(of: "\""), first < last else {
            return text
        }
        return text[...first] + "…" + text[last...]
    }

    /// Whether another @ follows the @ that ends user and password, before the options. libpq takes the first @ as
    /// that end, or no @ if a / comes before it.
    private static func hasSecondAtSign(_ uri: String) -> Bool {
        guard let scheme = uri.range(of: "://") else { return false }
        let rest = uri[scheme.upperBound...]
        let end = rest.firstIndex { $0 == "@" || $0 == "/" } ?? rest.endIndex
        let place = end < rest.endIndex && rest[end] == "@" ? rest[rest.index(after: end)...] : rest
        return place.prefix { $0 != "?" }.contains("@")
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int(text).map { (1...65_535).contains($0) } == true
    }

    private static func value(of keyword: String, _ options: UnsafeMutablePointer<PQconninfoOption>) -> String? {
        var option = options
        while let name = option.pointee.keyword {
            if strcmp(name, keyword) == 0 { return option.pointee.val.map { String(cString: $0) } }
            option += 1
        }
        return nil
    }
}

/// The kind of connection pooler that a connection string names.
enum PoolerMode: String {
    /// Each transaction may get another session of the server.
    case transaction
    /// A connection keeps its session, as without a pooler.
    case session
    /// Nothing is said. A pooler that is found counts as one of transactions.
    case detected
}
