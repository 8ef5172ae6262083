// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet
internal import BluebonnetHTTP

/// Names the elements of one line in their order, and counts them. A value: the caller knows the keys that occurred.
package struct ElementSequence: Sendable {
    package struct Course: Sendable, Hashable, Codable {
        /// The number of elements, with duplicates.
        package fileprivate(set) var elementCount = 0
        package var duplicates = 0
        /// Why the line uses no further elements.
        package var failure: ResultLine.Failure?

        package init() {}
    }

    package enum Step: Equatable {
        /// The operation of the element has the name. With `isKey`, only the first element of this name is sent.
        case start(String, isKey: Bool)
        /// The element has no key: its operation, of this name, fails.
        case fail(String, ResultLine.Failure)
        case stop
    }

    private let rule: RequestLine.FanOut
    package var course: Course

    package init(_ rule: RequestLine.FanOut, after course: Course = Course()) {
        (self.rule, self.course) = (rule, course)
    }

    /// Decides about the next element.
    package mutating func step(_ element: JSONValue) -> Step {
        if let max = rule.max, course.elementCount >= max {
            let remedy = "raise \"max\" in \"each\" if that is right"
            course.failure = ResultLine.Failure(
                code: .tooManyElements, message: "there are more than \(max) elements: \(remedy)")
            return .stop
        }
        course.elementCount += 1
        let number = course.elementCount
        guard let key = rule.key else { return .start(String(number), isKey: false) }
        if let text = key.text(of: element) { return .start(text, isKey: true) }
        let message = "element \(number) of \(rule.sourceText) has no \(key.shown), no text and no number"
        return .fail("#\(number)", ResultLine.Failure(code: .unresolvedReference, message: message))
    }
}

/// The ended operations of a line's elements.
package struct ElementTotals: Sendable {
    package var ended: [ResultLine.Outcome: Int] = [:]
    /// The error of the first element that failed.
    package var firstFailure: ResultLine.Failure?

    package init() {}

    package var endedCount: Int { ended.values.reduce(0, +) }

    package mutating func add(_ result: ResultLine) {
        ended[result.outcome, default: 0] += 1
        if result.outcome == .failure, firstFailure == nil { setFirstFailure(result) }
    }

    package mutating func setFirstFailure(_ result: ResultLine) {
        let message = "\(result.id): \(result.error?.message ?? "")"
        firstFailure = ResultLine.Failure(code: result.error?.code ?? .dependencyFailed, message: message)
    }

    /// The result of a line all of whose elements have ended.
    ///
    /// - Parameters:
    ///   - course: the elements of the line.
    ///   - source: how the line with the elements has ended, and the reason to skip lines; nil for a file.
    ///   - isStopped: whether the run was stopped before all elements were sent.
    package func result(
        _ id: String, _ course: ElementSequence.Course, source: (outcome: ResultLine.Outcome, reason: String?)?,
        isStopped: Bool
    ) -> ResultLine {
        var result = ResultLine(id: id, outcome: .success)
        result.count = endedCount
        result.succeeded = ended[.success] ?? 0
        result.failed = ended[.failure] ?? 0
        result.skipped = ended[.skipped] ?? 0
        result.duplicates = course.duplicates
        (result.outcome, result.error) = outcome(course, source, isStopped)
        return result
    }

    private func outcome(
        _ course: ElementSequence.Course, _ source: (outcome: ResultLine.Outcome, reason: String?)?, _ isStopped: Bool
    ) -> (ResultLine.Outcome, ResultLine.Failure?) {
        if let failure = course.failure { return (.failure, failure) }
        if isStopped { return (.cancelled, .stopped) }
        if let source, source.outcome != .success {
            if source.outcome == .cancelled { return (.cancelled, .stopped) }
            let message = SkipReason.message(source.reason)
            return (.skipped, ResultLine.Failure(code: .dependencyFailed, message: message))
        }
        if let first = firstFailure {
            let message = "\(ended[.failure] ?? 0) of \(endedCount) elements failed, at first \(first.message)"
            return (.failure, ResultLine.Failure(code: first.code, message: message))
        }
        if let count = ended[.unknown] {
            let message = "the outcomes of \(count) of \(endedCount) elements are unknown"
            return (.unknown, ResultLine.Failure(code: .mayHaveBeenSent, message: message))
        }
        if ended[.cancelled] != nil { return (.cancelled, .stopped) }
        if ended[.skipped] != nil {
            return (.skipped, ResultLine.Failure(code: .dependencyFailed, message: SkipReason.message(nil)))
        }
        return (.success, nil)
    }
}

extension ResultLine.Failure {
    /// The run was stopped.
    static let stopped = ResultLine.Failure(
        code: .cancelled, message: "the operation was cancelled before everything was sent")
}

extension RequestLine.FanOut {
    fileprivate var sourceText: String {
        switch source {
        case .line(let id): JSONText.quoted(id)
        case .file(let path): path
        }
    }
}

extension RequestLine.FanOut.Key {
    /// The key of an element; nil if it has no text and no number there.
    fileprivate func text(of element: JSONValue) -> String? {
        let value: JSONValue? =
            switch self {
            case .path(let path): (try? path.values(in: element))?.first
            case .name(let name): element[name]
            }
        switch value {
        case .string(let text)?: return text.isEmpty ? nil : text
        case .integer?, .number?, .bool?: return value?.jsonText
        default: return nil
        }
    }

    fileprivate var shown: String {
        switch self {
        case .path(let path): path.description
        case .name(let name): "column \(JSONText.quoted(name))"
        }
    }
}
