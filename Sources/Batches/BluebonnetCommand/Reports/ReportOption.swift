// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A value of `--report`: a form and a path, as in `junit=report.xml`.
struct ReportOption: Sendable, Equatable {
    enum Form: String, CaseIterable, Sendable {
        case junit, html
    }

    let form: Form
    let path: String

    /// Parses a value of the option; nil for any other text.
    init?(_ text: String) {
        guard let mark = text.firstIndex(of: "="), let form = Form(rawValue: String(text[..<mark])) else { return nil }
        let path = text[text.index(after: mark)...]
        guard !path.isEmpty else { return nil }
        (self.form, self.path) = (form, String(path))
    }

    /// The option with its form, for messages.
    var option: String { "--report \(form.rawValue)" }

    var file: ReplacedFile { ReplacedFile(option: option, path: path) }
}
