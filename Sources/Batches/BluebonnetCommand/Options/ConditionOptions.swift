// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
internal import BluebonnetFleet

/// The options that choose results of a batch.
struct ConditionOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Only results with this error code; repeatable.", valueName: "code"))
    var code: [String] = []

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Only results that meet a condition of JSONPath, where @ is the result line with code, message and origin: "
                + "'@.status >= 500 && @.origin == \"https://a.example\"'.", valueName: "condition"),
        transform: OptionValue.resultCondition)
    var expression: ResultCondition?

    /// Whether there is no condition.
    var isEmpty: Bool { code.isEmpty && expression == nil }

    func validate() throws {
        do throws(ResultCondition.ParseError) {
            _ = try condition
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// The condition from the options; nil without one.
    var condition: ResultCondition? {
        get throws(ResultCondition.ParseError) {
            guard !code.isEmpty else { return expression }
            let codes = try ResultCondition(codes: code)
            return if let expression { try codes.and(expression) } else { codes }
        }
    }
}
