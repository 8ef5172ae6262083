// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetPipelines

// Rules between the fields of a pipeline, and between them and the other fields of a line.
extension RequestLine {
    /// - Throws: the first combination of fields that cannot work.
    func checkPipeline() throws(RequestLineError) {
        guard let pipeline else { return }
        if pipeline.rows != nil, pipeline.extract.isEmpty {
            throw Self.error(.rows, "needs \"extract\", which names the values of a row")
        }
        if pipeline.until != nil { try checkPolling(pipeline) }
        if output != nil { try checkOutput(pipeline) }
        if pipeline.paginate != nil { try checkPages() }
        try checkStream(pipeline)
        if let each = pipeline.each { try checkElements(each) }
        try checkParameter(pipeline)
    }

    private static func error(_ name: Name, _ message: String) -> RequestLineError {
        RequestLineError(at: FieldPath.top.member(name.rawValue), message)
    }

    private func checkPolling(_ pipeline: Pipeline) throws(RequestLineError) {
        if pipeline.paginate != nil { throw Self.error(.until, "a line cannot have \"paginate\" and \"until\"") }
        if cache != nil {
            throw Self.error(.cache, "a line cannot have \"until\" and \"cache\": each of its requests asks the server")
        }
        guard ["GET", "HEAD"].contains(method.uppercased()) || hasIdempotencyKey else {
            throw Self.error(
                .until, "\(method) is sent again and again: use GET or HEAD, or give the line an \"idempotencyKey\"")
        }
    }

    /// A body that goes to a file is not kept in memory.
    private func checkOutput(_ pipeline: Pipeline) throws(RequestLineError) {
        let message = "needs the body in memory: a line with \"output\" cannot have it"
        if pipeline.paginate != nil { throw Self.error(.paginate, message) }
        if pipeline.rows != nil { throw Self.error(.rows, message) }
        if pipeline.extract.values.contains(where: \.needsBody) { throw Self.error(.extract, message) }
        if pipeline.assertions.contains(where: \.needsBody) { throw Self.error(.assertions, message) }
        if pipeline.until?.assertions.contains(where: \.needsBody) == true { throw Self.error(.until, message) }
        if !pipeline.remember.isEmpty { throw Self.error(.remember, message) }
    }

    private func checkStream(_ pipeline: Pipeline) throws(RequestLineError) {
        guard pipeline.stream != nil else {
            if pipeline.maxItems != nil { throw Self.error(.maxItems, "needs \"stream\", whose items it counts") }
            return
        }
        let message = "a line with \"stream\" cannot have it"
        if pipeline.paginate != nil { throw Self.error(.paginate, message) }
        if pipeline.until != nil { throw Self.error(.until, message) }
        if pipeline.rows != nil { throw Self.error(.rows, message + ": each item is a row") }
        if !pipeline.remember.isEmpty { throw Self.error(.remember, message) }
        if output != nil { throw Self.error(.output, message) }
        if expect?.sha256 != nil {
            let path = FieldPath.top.member(Name.expect.rawValue).member("sha256")
            throw RequestLineError(at: path, "\(message): the digest is of a body that is kept or written")
        }
    }

    private func checkPages() throws(RequestLineError) {
        guard case .value? = idempotencyKey else { return }
        throw Self.error(.idempotencyKey, "each page needs a key of its own: use true")
    }

    private func checkElements(_ each: FanOut) throws(RequestLineError) {
        if let output, !refers(output, to: each.name) {
            throw Self.error(.output, "all elements would write one file: use ${\(each.name).…} in the path")
        }
        if case .value(let key)? = idempotencyKey, !refers(key, to: each.name) {
            throw Self.error(.idempotencyKey, "each element needs a key of its own: use ${\(each.name).…} or true")
        }
    }

    private func refers(_ text: String, to variable: String) -> Bool {
        let template = try? ReferenceTemplate(parsing: text, field: nil, elementName: variable)
        return template?.refers(to: variable) ?? true  // another check reports a template that cannot be parsed
    }

    /// A parameter of the body needs a body of JSON.
    private func checkParameter(_ pipeline: Pipeline) throws(RequestLineError) {
        let parameter: Pagination.Parameter? =
            switch pipeline.paginate?.next {
            case .cursor(_, let parameter)?, .page(let parameter, _)?, .offset(let parameter, _)?: parameter
            default: nil
            }
        guard case .json(let name)? = parameter, let body else { return }
        guard case .json(.object) = body else {
            throw Self.error(.paginate, "\"json.\(name)\" needs a \"json\" object as the line's body")
        }
    }
}

extension RequestLine.Extraction {
    fileprivate var needsBody: Bool {
        switch self {
        case .path, .text: true
        case .header, .status, .duration: false
        }
    }
}

extension RequestLine.Assertion {
    fileprivate var needsBody: Bool {
        switch subject {
        case .path, .text: true
        case .header, .status, .duration, .bytes: false
        }
    }
}
