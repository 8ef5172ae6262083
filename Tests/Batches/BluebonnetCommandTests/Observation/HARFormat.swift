// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// The required members of HAR 1.2, and their types.
enum HARFormat {
    indirect enum Kind: Sendable {
        case text, number, date
        case list(Kind)
        case object(required: [String: Kind], optional: [String: Kind] = [:])
    }

    private static let pair = Kind.object(required: ["name": .text, "value": .text])

    private static let request = Kind.object(
        required: [
            "method": .text, "url": .text, "httpVersion": .text, "cookies": .list(pair), "headers": .list(pair),
            "queryString": .list(pair), "headersSize": .number, "bodySize": .number,
        ])

    private static let content = Kind.object(
        required: ["size": .number, "mimeType": .text], optional: ["compression": .number])

    private static let response = Kind.object(
        required: [
            "status": .number, "statusText": .text, "httpVersion": .text, "cookies": .list(pair),
            "headers": .list(pair), "content": content,
            "redirectURL": .text, "headersSize": .number, "bodySize": .number,
        ])

    private static let timings = Kind.object(
        required: ["send": .number, "wait": .number, "receive": .number],
        optional: ["blocked": .number, "dns": .number, "connect": .number, "ssl": .number])

    private static let entry = Kind.object(
        required: [
            "startedDateTime": .date, "time": .number, "request": request, "response": response,
            "cache": .object(required: [:]), "timings": timings,
        ], optional: ["serverIPAddress": .text, "connection": .text])

    private static let file = Kind.object(
        required: [
            "log": .object(
                required: [
                    "version": .text, "creator": .object(required: ["name": .text, "version": .text]),
                    "entries": .list(entry),
                ])
        ])

    /// Returns what is wrong with a HAR file.
    static func problems(_ file: JSONValue) -> [String] {
        problems(file, self.file, "file") + (file["log"]?["entries"]?.array ?? []).flatMap(timeProblems)
    }

    private static func problems(_ value: JSONValue, _ kind: Kind, _ path: String) -> [String] {
        switch kind {
        case .text: value.string == nil ? ["\(path) is no text"] : []
        case .number: value.number == nil ? ["\(path) is no number"] : []
        case .date: (value.string.map(isDate) ?? false) ? [] : ["\(path) is no date"]
        case .list(let element):
            value.array.map { $0.flatMap { problems($0, element, path + "[]") } } ?? ["\(path) is no list"]
        case .object(let required, let optional): objectProblems(value, required, optional, path)
        }
    }

    private static func objectProblems(
        _ value: JSONValue, _ required: [String: Kind], _ optional: [String: Kind], _ path: String
    ) -> [String] {
        guard let object = value.object else { return ["\(path) is no object"] }
        var problems: [String] = []
        for (name, kind) in required {
            problems += object[name].map { self.problems($0, kind, "\(path).\(name)") } ?? ["\(path) has no \(name)"]
        }
        // Members of this program begin with an underscore.
        for name in object.names where required[name] == nil && !name.hasPrefix("_") {
            guard let kind = optional[name], let member = object[name] else {
                problems.append("\(path) has a member \(name)")
                continue
            }
            problems += self.problems(member, kind, "\(path).\(name)")
        }
        return problems
    }

    private static func isDate(_ text: String) -> Bool {
        text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/) != nil
    }

    /// `time` is the sum of the timings that apply; `connect` contains `ssl`; `send`, `wait` and `receive` apply
    /// always.
    private static func timeProblems(_ entry: JSONValue) -> [String] {
        let time = { (name: String) in entry["timings"]?[name]?.number ?? -1 }
        let names = ["blocked", "dns", "connect", "send", "wait", "receive"]
        let sum = names.map { max(0, time($0)) }.reduce(0, +)
        var problems: [String] = []
        if abs(sum - (entry["time"]?.number ?? -1)) > 0.001 {
            problems.append("the time is not the sum of the timings")
        }
        if time("ssl") > time("connect") { problems.append("connect does not contain ssl") }
        if names.suffix(3).contains(where: { time($0) < 0 }) { problems.append("send, wait or receive is negative") }
        if names.contains(where: { time($0) < 0 && time($0) != -1 }) { problems.append("a negative time is not -1") }
        return problems
    }
}
