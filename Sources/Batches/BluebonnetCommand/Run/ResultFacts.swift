// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// The parts of a result line that rows, reports and conditions use.
struct ResultFacts: Sendable, Equatable {
    var id: String
    var outcome: ResultLine.Outcome
    /// The error; nil if the operation succeeded.
    var code, message: String?
    /// The status of the final response; nil without a response.
    var status: Int?
    /// The time of the whole operation in seconds; nil if nothing was sent.
    var seconds: Double?
    /// The number of requests, if something was sent: a polling line has several.
    var requestCount = 1
    var url: String?
    var values: JSONValue?
    /// Whether the result was recorded by an earlier run.
    var isFromJournal = false

    init(id: String, outcome: ResultLine.Outcome) { (self.id, self.outcome) = (id, outcome) }

    init(_ result: ResultLine) {
        self.init(id: result.id, outcome: result.outcome)
        (code, message, status) = (result.error?.code.rawValue, result.error?.message, result.status)
        (seconds, url, values) = (result.timing?.total, result.url, result.values)
        requestCount = result.requests ?? 1
    }

    /// Reads an encoded result line.
    init(_ line: JSONValue, outcome: ResultLine.Outcome) {
        self.init(id: line["id"]?.string ?? "", outcome: outcome)
        (code, message) = (line["error"]?["code"]?.string, line["error"]?["message"]?.string)
        status = line["status"]?.integer.map { Int($0) }
        (seconds, url, values) = (line["timing"]?["total"]?.number, line["url"]?.string, line["values"])
        requestCount = line["requests"]?.integer.map { Int($0) } ?? 1
    }

    init(_ delivery: LineRunner.Delivery) {
        if let result = delivery.result {
            self.init(result)
        } else {
            self.init((try? JSONValue(parsing: delivery.line)) ?? .null, outcome: delivery.outcome)
        }
        isFromJournal = delivery.isFromJournal
    }

    /// Whether the operation failed, or its outcome is not known.
    var isFailure: Bool { outcome == .failure || outcome == .unknown }

    /// The rows of `--into`: the object in the values, or each object of their array. Only successes have rows.
    var rows: [ValueRow] {
        guard outcome == .success, let values else { return [] }
        return (values.array ?? [values]).compactMap(\.object).map { ValueRow(id: id, values: $0) }
    }
}

/// A row of `--into`.
struct ValueRow: Sendable, Equatable {
    let id: String
    let values: JSONObject
}
