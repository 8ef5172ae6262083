// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import Foundation

/// The plan of a batch of request lines: the waves of lines that could run at the same time, and the lines that would
/// fail before anything is sent. Planning sends nothing and opens no file.
public struct RequestLinePlan: Sendable {
    /// One line of the plan.
    public struct Entry: Sendable {
        /// The line's id.
        public let id: String
        /// The method.
        public let method: String
        /// The URL of the request, without user information. If the line refers to a response, this is the URL as
        /// written in the line. Values of environment variables are replaced by their references.
        public let url: String
        /// The ids that the line depends on.
        public let dependencies: [String]
        /// The error with which the line would fail before anything is sent; nil if no error is known. Lines that
        /// refer to responses are not checked.
        public let problem: NetworkingError?
    }

    /// The lines by the length of the longest chain of dependencies before them. A line depends on lines of earlier
    /// waves only.
    public private(set) var waves: [[Entry]] = []

    /// The lines that would fail before anything is sent.
    public var problems: [Entry] { waves.joined().filter { $0.problem != nil } }

    /// Plans lines, given dependencies first, with the settings of the run.
    public init(_ nodes: [RequestLineGraph.Node], settings: RequestLineRunner.Settings = .init()) {
        var waveOfID: [ByteString: Int] = [:]
        for node in nodes {
            let wave = node.dependencies.compactMap { waveOfID[ByteString($0)] }.max().map { $0 + 1 } ?? 0
            waveOfID[ByteString(node.line.id)] = wave
            if wave == waves.count { waves.append([]) }
            waves[wave].append(Entry(node, settings: settings))
        }
    }
}

extension RequestLinePlan.Entry {
    fileprivate init(_ node: RequestLineGraph.Node, settings: RequestLineRunner.Settings) {
        let line = node.line.line
        (id, method, dependencies) = (node.line.id, line.method, node.dependencies)
        let refers = line.elementName != nil || (try? line.referencedIDs().isEmpty) == false
        let outcome: Result<URL, NetworkingError>? = refers ? nil : Self.prepare(line, settings)
        let hidden = HiddenVariables(of: line, settings.environment)
        switch outcome {
        case .success(let checked)?:
            let shown = URLText.withoutUserInfo(checked.absoluteString)
            (url, problem) = (hidden?.hide(in: shown) ?? shown, nil)
        case .failure(let error)?:
            (url, problem) = (URLText.withoutUserInfo(line.url), hidden?.hide(in: error) ?? error)
        case nil: (url, problem) = (URLText.withoutUserInfo(line.url), nil)
        }
    }

    /// Makes the line's request as the runner would, and returns its URL.
    private static func prepare(
        _ line: RequestLine, _ settings: RequestLineRunner.Settings
    ) -> Result<URL, NetworkingError> {
        let options = settings.transferOptions
        let recipe = RequestPlan.Recipe { plan in
            let environment = settings.environment
            let variables = LineVariables(state: settings.state)
            try line.resolved(environment: environment, variables: variables) { _ in nil }
                .completed(with: settings.headers, environment: environment)
                .complete(
                    &plan, baseURL: settings.baseURL.map(RequestOperationManager.withTrailingSlash), options: options)
        }
        return Result { () throws(NetworkingError) in
            try RequestPlan(recipe: recipe, options: ResolvedOptions(options)).checkedURL()
        }
    }
}

extension RequestLinePlan: CustomStringConvertible {
    /// The waves as text for people: one line per operation, and a summary.
    public var description: String {
        var lines: [String] = []
        for (number, wave) in waves.enumerated() {
            lines.append("Wave \(number + 1): \(Self.count(wave.count, "operation"))")
            lines += wave.map(\.text)
        }
        let count = waves.reduce(0) { $0 + $1.count }
        var summary = "\(Self.count(count, "operation")) in \(Self.count(waves.count, "wave"))"
        if !problems.isEmpty { summary += "; \(problems.count) would fail before anything is sent" }
        return (lines + [summary + ".", ""]).joined(separator: "\n")
    }

    private static func count(_ number: Int, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }
}

extension RequestLinePlan.Entry {
    fileprivate var text: String {
        let after = dependencies.isEmpty ? "" : " after " + dependencies.joined(separator: ", ")
        let failure = problem.map { "\n    would fail: \($0)" } ?? ""
        return "  \(id): \(method) \(url)\(after)\(failure)"
    }
}
