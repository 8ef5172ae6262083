// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetFleet
import Foundation

/// The text of a fleet's state: lines with bars for people, or a JSON object for programs.
struct FleetReport {
    /// The maximum number of origins shown.
    private static let originLimit = 10
    private static let barWidth = 24

    let batches: [FleetBatch]
    let members: [FleetMember]
    /// The origins of the batch; empty if all batches are shown.
    let origins: [FleetOrigin]

    /// Reads the state from the store.
    ///
    /// - Parameter name: the name of the batch to show; nil shows all batches.
    init(_ fleet: Fleet, _ name: String?) async throws(FleetError) {
        if let name {
            batches = [try await fleet.batch(named: name)]
            origins = try await fleet.origins(ofBatch: name, limit: Self.originLimit)
        } else {
            batches = try await fleet.batches()
            origins = []
        }
        members = try await fleet.members()
    }

    /// Whether every line of the batches has an outcome.
    var isComplete: Bool { batches.allSatisfy(\.isComplete) }

    /// Returns the lines for people.
    ///
    /// - Parameter width: the total width in columns. Names get at most a third of it.
    func lines(width: Int) -> [String] {
        let names = batches.map(\.name) + members.map(\.name) + origins.map { Self.name(of: $0) }
        let nameWidth = min(
            max(12, names.map { TerminalText.columns(of: TerminalText.clean($0)) }.max() ?? 0), width / 3)
        var lines = batches.map { line($0, nameWidth) }
        if batches.isEmpty { lines.append("no batches") }
        if !origins.isEmpty { lines += ["", "origins:"] + origins.map { line($0, nameWidth) } }
        lines += ["", members.isEmpty ? "no workers" : "workers:"] + members.map { line($0, nameWidth) }
        return lines
    }

    private func line(_ batch: FleetBatch, _ nameWidth: Int) -> String {
        var parts = ["\(batch.endedCount)/\(batch.lineCount)"]
        if batch.state != .open {
            parts.append(batch.state.rawValue)
        } else if batch.isComplete {
            parts.append("complete")
        }
        if batch.claimedCount > 0 { parts.append("\(batch.claimedCount) claimed") }
        for (outcome, word) in Self.words {
            if let count = batch.counts[outcome], count > 0 { parts.append("\(count) \(word)") }
        }
        parts.append(Quantity.bytes(Int64(batch.byteCount)))
        let fraction = batch.lineCount > 0 ? Double(batch.endedCount) / Double(batch.lineCount) : 1
        return Self.row(batch.name, nameWidth, fraction, parts)
    }

    private static let words: [(ResultLine.Outcome, String)] = [
        (.success, "succeeded"), (.failure, "failed"), (.cancelled, "cancelled"), (.skipped, "skipped"),
        (.unknown, "unknown"),
    ]

    private func line(_ member: FleetMember, _ nameWidth: Int) -> String {
        let fraction = min(1, Double(member.claimedCount) / Double(max(1, member.slotCount)))
        var parts = ["\(member.claimedCount) claimed", "\(member.endedCount) recorded"]
        if member.secondsSilent >= 10 { parts.append("silent for \(Quantity.duration(member.secondsSilent))") }
        return Self.row(member.name, nameWidth, fraction, parts)
    }

    private func line(_ origin: FleetOrigin, _ nameWidth: Int) -> String {
        let fraction = origin.lineCount > 0 ? 1 - Double(origin.readyCount) / Double(origin.lineCount) : 1
        var parts = ["\(Quantity.count(origin.lineCount, "line"))", "\(origin.readyCount) ready"]
        if let seconds = origin.secondsHeld { parts.append("on hold for \(Quantity.duration(seconds.rounded(.up)))") }
        return Self.row(Self.name(of: origin), nameWidth, max(0, fraction), parts)
    }

    private static func name(of origin: FleetOrigin) -> String {
        origin.origin.isEmpty ? "(not known yet)" : origin.origin
    }

    private static func row(_ name: String, _ nameWidth: Int, _ fraction: Double, _ parts: [String]) -> String {
        let name = TerminalText.fit(TerminalText.clean(name), to: nameWidth)
        return "\(name)  \(ProgressRenderer.bar(fraction, width: barWidth))  \(parts.joined(separator: ", "))"
    }

    /// The JSON object for programs, with a line end.
    var json: String {
        var members: JSONObject = [
            "batches": .array(batches.map(Self.object)), "workers": .array(self.members.map(Self.object)),
        ]
        if !origins.isEmpty { members["origins"] = .array(origins.map(Self.object)) }
        return JSONText.text(of: .object(members)) + "\n"
    }

    private static func object(_ batch: FleetBatch) -> JSONValue {
        var members: JSONObject = [
            "name": .string(batch.name), "state": .string(batch.state.rawValue),
            "priority": .integer(Int64(batch.priority)), "lines": .integer(Int64(batch.lineCount)),
            "ended": .integer(Int64(batch.endedCount)), "withWorkers": .integer(Int64(batch.claimedCount)),
            "waiting": .integer(Int64(batch.waitingCount)), "bytes": .integer(Int64(batch.byteCount)),
            "created": .integer(Int64(batch.created.timeIntervalSince1970)), "isComplete": .bool(batch.isComplete),
        ]
        for outcome in ResultLine.Outcome.allCases {
            members[outcome.rawValue] = .integer(Int64(batch.counts[outcome] ?? 0))
        }
        return .object(members)
    }

    private static func object(_ member: FleetMember) -> JSONValue {
        .object([
            "name": .string(member.name), "slots": .integer(Int64(member.slotCount)),
            "inHand": .integer(Int64(member.claimedCount)), "recorded": .integer(Int64(member.endedCount)),
            "silent": .number(JSONNumber(member.secondsSilent)),
            "started": .integer(Int64(member.started.timeIntervalSince1970)), "version": .string(member.version),
        ])
    }

    private static func object(_ origin: FleetOrigin) -> JSONValue {
        .object([
            "origin": .string(origin.origin), "lines": .integer(Int64(origin.lineCount)),
            "ready": .integer(Int64(origin.readyCount)),
            "held": origin.secondsHeld.map { .number(JSONNumber($0)) } ?? .null,
        ])
    }
}
