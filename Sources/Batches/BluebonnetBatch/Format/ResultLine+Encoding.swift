// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
public import Foundation

extension ResultLine {
    /// Returns the line as written to the results: one compact JSON object and a line end, with the members in the
    /// format's order.
    public func encodedLine() -> Data {
        var text = JSONText(expectedByteCount: 1_024 + (body?.utf8.count ?? 0))
        text.object { line in
            line.member("id", id) { $0.string($1) }
            line.member("outcome", outcome.rawValue) { $0.string($1) }
            line.member("status", status) { $0.integer($1) }
            line.member("url", url) { $0.string($1) }
            line.member("bytes", bytes) { $0.integer($1) }
            line.member("sha256", sha256) { $0.string($1) }
            line.member("headers", lineHeaders) { $1.write(to: &$0) }
            line.member("body", body) { $0.string($1) }
            line.member("attempts", attempts) { $0.integer($1) }
            line.member("retries", retries) { text, retries in
                text.array { array in for retry in retries { retry.write(to: &array) } }
            }
            line.member("redirects", redirects) { $0.integer($1) }
            line.member("protocol", `protocol`) { $0.string($1) }
            line.member("reused", reused) { $0.token($1 ? "true" : "false") }
            line.member("cache", cache?.rawValue) { $0.string($1) }
            line.member("timing", timing) { $1.write(to: &$0) }
            line.writePipeline(self)
            line.member("error", error) { $1.write(to: &$0) }
            line.member("worker", worker) { $0.string($1) }
        }
        text.endLine()
        return text.data
    }
}

extension JSONText {
    /// Writes the members that only lines with pages, elements and values have.
    fileprivate mutating func writePipeline(_ result: ResultLine) {
        member("values", result.values) { $0.value($1) }
        member("requests", result.requests) { $0.integer($1) }
        member("page", result.page) { $0.integer($1) }
        member("item", result.item) { $0.integer($1) }
        member("event", result.event) { text, event in
            text.object { object in
                object.key("id")
                object.string(event.id)
                object.key("event")
                object.string(event.event)
                if event.hasData {
                    object.key("data")
                    object.string(event.data)
                }
            }
        }
        member("items", result.items) { $0.integer($1) }
        member("pages", result.pages) { $0.integer($1) }
        member("count", result.count) { $0.integer($1) }
        member("succeeded", result.succeeded) { $0.integer($1) }
        member("failed", result.failed) { $0.integer($1) }
        member("skipped", result.skipped) { $0.integer($1) }
        member("duplicates", result.duplicates) { $0.integer($1) }
    }

    /// Writes a member, unless the value is nil.
    fileprivate mutating func member<Value>(
        _ name: StaticString, _ value: Value?, _ write: (inout JSONText, Value) -> Void
    ) {
        guard let value else { return }
        key(name)
        write(&self, value)
    }

    fileprivate mutating func integer(_ number: Int) {
        token(String(number))
    }
}

extension LineHeaders {
    fileprivate func write(to text: inout JSONText) {
        text.object { object in
            if let block = plainBlock {
                return block.eachField { name, value in
                    object.key(lowercasing: name)
                    object.string(value)
                }
            }
            for field in fields {
                object.key(field.name)
                if field.isList {
                    object.array { array in for value in field.values { array.string(value) } }
                } else {
                    object.string(field.values[0])
                }
            }
        }
    }
}

extension ResultLine.Timing {
    fileprivate func write(to text: inout JSONText) {
        text.object { object in
            object.member("queued", queued) { $0.seconds($1) }
            object.member("dns", dns) { $0.seconds($1) }
            object.member("connect", connect) { $0.seconds($1) }
            object.member("tls", tls) { $0.seconds($1) }
            object.member("firstByte", firstByte) { $0.seconds($1) }
            object.member("total", total) { $0.seconds($1) }
        }
    }
}

extension ResultLine.Retry {
    fileprivate func write(to text: inout JSONText) {
        text.object { object in
            object.member("after", after.rawValue) { $0.string($1) }
            object.member("status", status) { $0.integer($1) }
            object.member("waited", waited) { $0.seconds($1) }
        }
    }
}

extension ResultLine.Failure {
    fileprivate func write(to text: inout JSONText) {
        text.object { object in
            object.member("code", code.rawValue) { $0.string($1) }
            object.member("message", message) { $0.string($1) }
            object.member("underlying", underlying) { $0.string($1) }
        }
    }
}
