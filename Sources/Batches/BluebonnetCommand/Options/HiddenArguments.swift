// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Messages about arguments that belong to no option. The shell splits a value with spaces that is not quoted, and the
/// rest of it, mostly a token or a password, would be shown as an unexpected argument.
enum HiddenArguments {
    /// The options whose values may hold secrets.
    private static let options = ["--header", "--store", "--base-url"]

    /// The message itself, or one without the arguments.
    static func message(_ message: String, arguments: [String]) -> String {
        guard showsArguments(message), let option = options.first(where: { isUsed($0, in: arguments) }) else {
            return message
        }
        return "there are more arguments than expected, which are not shown: they may be the rest of \(option), whose "
            + "value needs quotation marks if it has spaces in it"
    }

    /// Whether a message of ArgumentParser quotes arguments of unknown meaning. A misspelled option is shown.
    private static func showsArguments(_ message: String) -> Bool {
        message.hasPrefix("Unexpected argument") || message.contains(" unexpected arguments: ")
            || message.hasPrefix("Unknown option '-") && !message.hasPrefix("Unknown option '--")
    }

    private static func isUsed(_ option: String, in arguments: [String]) -> Bool {
        arguments.contains { $0 == option || $0.hasPrefix(option + "=") }
    }
}
