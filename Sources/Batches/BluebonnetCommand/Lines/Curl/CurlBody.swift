// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// The body and the query of a curl command: `-d` and its relatives, `--json`, `-F`, `-T`, `-G`.
struct CurlBody {
    private var texts: [String] = []
    private var queries: [String] = []
    private var isJSON = false
    private var isQuery = false
    private var parts: [RequestLine.Part] = []
    private var file: String?
    /// The option `-T`; nil without one.
    private(set) var upload: CurlArguments.Item?
    /// The latest option about the body.
    private var latest: CurlArguments.Item?

    mutating func apply(_ item: CurlArguments.Item) throws(ConversionError) {
        switch item.option {
        case .get:
            isQuery = true
            return
        case .urlQuery:
            let text = item.value
            queries.append(text.hasPrefix("+") ? String(text.dropFirst()) : try Self.encoded(item))
            return
        case .form, .formString: parts.append(try CurlFormPart(item).part)
        case .uploadFile:
            guard item.value != "-", item.value != ".", !item.value.isEmpty else { throw Self.standardInput(item) }
            if file != nil { throw item.error("a line has one body") }
            (file, upload) = (item.value, item)
        case .dataURLEncode: texts.append(try Self.encoded(item))
        case .dataRaw: texts.append(item.value)
        default: try addData(item)
        }
        latest = item
        try checkKinds(item)
    }

    private mutating func addData(_ item: CurlArguments.Item) throws(ConversionError) {
        if item.option == .json {
            if !isJSON, !texts.isEmpty { throw item.error("a body is data or JSON") }
            isJSON = true
        }
        guard item.value.hasPrefix("@") else { return texts.append(item.value) }
        let path = String(item.value.dropFirst())
        guard path != "-", !path.isEmpty else { throw Self.standardInput(item) }
        if file != nil { throw item.error("a line has one body") }
        file = path
    }

    /// Throws an error if the body has parts that a line cannot have in one body.
    private func checkKinds(_ item: CurlArguments.Item) throws(ConversionError) {
        let kinds = [!texts.isEmpty, file != nil, !parts.isEmpty].count { $0 }
        if kinds > 1 { throw item.error("a line has one body: data, one file, or the parts of a form") }
        if isJSON, item.option != .json { throw item.error("a body is data or JSON") }
    }

    private static func standardInput(_ item: CurlArguments.Item) -> ConversionError {
        item.error("a line cannot read standard input: write the path of a file")
    }

    /// Returns the value of `--data-urlencode`: `TEXT`, `=TEXT` or `NAME=TEXT`.
    private static func encoded(_ item: CurlArguments.Item) throws(ConversionError) -> String {
        let text = item.value
        guard let sign = text.firstIndex(where: { $0 == "=" || $0 == "@" }) else { return FormText.escaped(text) }
        guard text[sign] == "=" else { throw item.error("the content of a file: write the text") }
        let value = FormText.escaped(String(text[text.index(after: sign)...]))
        return sign == text.startIndex ? value : text[...sign] + value
    }
}

// MARK: - The parts of the line

extension CurlBody {
    /// The method that curl uses for this body without `--request`.
    var method: String {
        if upload != nil { return "PUT" }
        let hasBody = file != nil || !parts.isEmpty || !texts.isEmpty && !isQuery
        return hasBody ? "POST" : "GET"
    }

    /// The text of the query that options add to the URL; nil without one.
    private var queryText: String? {
        let all = queries + (isQuery ? texts : [])
        return all.isEmpty ? nil : all.joined(separator: "&")
    }

    /// The query as an object; nil without a query, or if no object is equal to it.
    var query: JSONObject? { queryText.flatMap { $0.isEmpty ? nil : FormText.members($0) } }

    /// The query as text, if no object is equal to it.
    var plainQuery: String? { query == nil ? queryText.flatMap { $0.isEmpty ? nil : $0 } : nil }

    /// Returns the URL of an uploaded file: curl adds the name of the file to a URL that ends in a slash.
    func uploadURL(_ url: String) -> String {
        guard upload != nil, let file else { return url }
        let path = URLText(url).path
        guard path.isEmpty || path.hasSuffix("/"), let name = file.split(separator: "/").last else { return url }
        let rest = url.suffix(from: path.endIndex)
        return url[..<path.endIndex] + (path.isEmpty ? "/" : "") + FormText.escaped(String(name)) + rest
    }

    /// Sets the body, and the fields that curl sends with it.
    ///
    /// - Parameter removesContentType: whether the command removes the field `Content-Type`.
    func apply(to line: inout RequestLine, removesContentType: Bool) throws(ConversionError) {
        if isQuery, file != nil || !parts.isEmpty, let latest { throw latest.error("-G is for data only") }
        if isJSON, line.headers["Accept"] == nil { line.headers["Accept"] = BodyText.jsonType }
        if !parts.isEmpty {
            line.body = .multipart(parts)
        } else if let file {
            line.body = .file(file)
            if upload == nil, !removesContentType, line.headers["Content-Type"] == nil {
                line.headers["Content-Type"] = isJSON ? BodyText.jsonType : BodyText.formType
            }
        } else if !texts.isEmpty, !isQuery {
            if removesContentType, let latest { throw latest.error("a line sends each body with a Content-Type") }
            let type = line.headers["Content-Type"] ?? (isJSON ? BodyText.jsonType : BodyText.formType)
            BodyText(texts.joined(separator: isJSON ? "" : "&"), type: type).apply(to: &line)
        }
    }
}
