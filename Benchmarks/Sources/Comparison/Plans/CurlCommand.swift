// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Composes the arguments of the curl command for a plan, and parses the outcomes in its output.
package enum CurlCommand {
    /// Returns the options and URLs for all requests of a plan, in one command, so that they share connections.
    package static func words(_ plan: Plan) -> [String] {
        let all = plan.order == .oneAfterAnother ? [] : ["--parallel", "--parallel-immediate", "--parallel-max", "128"]
        let parts = plan.requests.map { words($0, plan) }
        return ["--disable"] + all + Array(parts.joined(separator: ["--next"]))
    }

    private static func words(_ request: Plan.Request, _ plan: Plan) -> [String] {
        var words = ["--silent", "--show-error", "--location", "--compressed", "--globoff"]
        words += ["--connect-timeout", "\(plan.limits.connect)", "--max-time", "\(plan.limits.total)"]
        words += ["--speed-limit", "1", "--speed-time", "\(plan.limits.idle)"]
        // With --head, curl writes the head to the file of the body.
        words += [
            "--output", request.method == "HEAD" ? "/dev/null" : request.outputFile, "--write-out", #"%{json}\n"#,
        ]
        if let file = plan.authorityFile { words += ["--cacert", file] }
        if let limit = request.bodyLimit { words += ["--max-filesize", "\(limit)"] }
        if let pin = request.pin { words += ["--pinnedpubkey", "sha256//\(pin)"] }
        if request.refusesInsecureRedirects { words += ["--proto-redir", "=https"] }
        if let credential = request.credential {
            words += [credential.isDigest ? "--digest" : "--basic"]
            words += ["--user", "\(credential.user):\(credential.password)"]
        }
        for field in request.fields { words += ["--header", "\(field.name): \(field.value)"] }
        return words + method(request) + ["--url", request.url]
    }

    /// Returns the options for the method. `--request` makes curl keep the method over redirects, so it is used only
    /// if no other option implies the method.
    private static func method(_ request: Plan.Request) -> [String] {
        switch (request.method, request.bodyFile) {
        case ("GET", nil): []
        case ("HEAD", nil): ["--head"]
        case ("POST", let file?) where !request.sendsFile: ["--data-binary", "@\(file)"]
        case ("PUT", let file?): ["--upload-file", file]
        case (let method, let file?) where request.sendsFile: ["--request", method, "--upload-file", file]
        case (let method, let file?): ["--request", method, "--data-binary", "@\(file)"]
        case (let method, nil): ["--request", method]
        }
    }

    private struct Line: Decodable {
        let exitCode: Int
        let message: String?
        let status: Int
        let file: String?

        private enum CodingKeys: String, CodingKey {
            case exitCode = "exitcode"
            case message = "errormsg"
            case status = "response_code"
            case file = "filename_effective"
        }
    }

    /// Parses the lines of `--write-out`. A request without a line has not ended.
    ///
    /// A line without a file name belongs to the first request without a line.
    package static func outcomes(_ output: String, _ plan: Plan) -> [Outcome] {
        var missing = Array(plan.requests.indices)
        let lines = output.split(separator: "\n").compactMap { text in
            try? JSONDecoder().decode(Line.self, from: Data(text.utf8))
        }
        return lines.compactMap { line in
            let named = missing.firstIndex { plan.requests[$0].outputFile == line.file }
            guard let place = plan.order == .oneAfterAnother ? missing.indices.first : named ?? missing.indices.first
            else { return nil }
            return outcome(line, missing.remove(at: place))
        }.sorted { $0.index < $1.index }
    }

    private static func outcome(_ line: Line, _ index: Int) -> Outcome {
        guard line.exitCode != 0 else { return .success(index, status: line.status) }
        return .failure(index, "curl: (\(line.exitCode)) \(line.message ?? "no message")")
    }
}
