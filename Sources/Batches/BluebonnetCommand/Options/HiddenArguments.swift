// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Hides arguments in messages about unexpected arguments. The shell splits an unquoted value with spaces, and the
/// rest of the value, often a token or a password, would be shown as an unexpected argument.
enum HiddenArguments {
    /// The options whose values may contain secrets.
    private static let options = ["--header", "--store", "--base-url"]

    /// Returns the message, or a replacement that does not show the arguments.
    static func message(_ message: String, arguments: [String]) -> String {
        guard showsArguments(message), let option = options.first(where: { isUsed($0, in: arguments) }) else {
            return message
        }
        return "unexpected arguments, not shown because they may be a part of \(option): put a value with spaces in "
            + "quotation marks"
    }

    /// Returns whether a message of ArgumentParser quotes arguments that may be parts of values. Misspelled long
    /// options are shown.
    private static func showsArguments(_ message: String) -> Bool {
        message.hasPrefix("Unexpected argument") || message.contains(" unexpected arguments: ")
            || message.hasPrefix("Unknown option '-") && !message.hasPrefix("Unknown option '--")
    }

    private static func isUsed(_ option: String, in arguments: [String]) -> Bool {
        arguments.contains { $0 == option || $0.hasPrefix(option + "=") }
    }
}
