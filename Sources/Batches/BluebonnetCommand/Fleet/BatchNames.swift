// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
internal import BluebonnetFleet
internal import BluebonnetLocks
internal import Dispatch
import Foundation

/// Completes the names of batches in a shell. The names are in the store of the command line or of the environment.
enum BatchNames {
    /// The longest time that a shell waits for the store.
    static let timeLimit = DispatchTimeInterval.seconds(2)

    /// Returns the names in the store that begin with a prefix; no names without a store, or if the store fails or
    /// does not answer in time. Blocks the calling thread.
    ///
    /// - Parameter words: the words of the command line, as the shell has them.
    static func completions(words: [String], prefix: String) -> [String] {
        let environment = ProcessInfo.processInfo.environment
        guard let store = store(in: words, environment: environment) else { return [] }
        let names = names(in: Fleet(store: store)).filter { $0.hasPrefix(unquoted(prefix)) }
        return names.map { candidate($0, isForZsh: CompletionShell.requesting == .zsh) }
    }

    /// Returns a name as a shell expects a candidate. zsh takes the text after a colon for a description.
    static func candidate(_ name: String, isForZsh: Bool) -> String {
        isForZsh ? name.replacing(":", with: "\\:") : name
    }

    /// Returns the store that a command line names, or the store of the environment.
    static func store(in words: [String], environment: [String: String]) -> String? {
        var store = environment[StoreOptions.variable]
        for (index, word) in words.enumerated() {
            if word == "--store" { store = unquoted(value(words.dropFirst(index + 1))) }
            if word.hasPrefix("--store=") { store = unquoted(String(word.dropFirst("--store=".count))) }
        }
        return store?.isEmpty == false ? store : nil
    }

    /// Returns the value at the beginning of the words after an option. bash also splits words at `:`, `=` and `@`, and
    /// each of these characters is then a word.
    private static func value(_ words: ArraySlice<String>) -> String {
        let isBreak = { (word: String) in !word.isEmpty && word.allSatisfy(":=@".contains) }
        var (value, rest) = ("", words.first == "=" ? words.dropFirst() : words)
        while let word = rest.popFirst() {
            value += word
            guard isBreak(word) || rest.first.map(isBreak) == true else { break }
        }
        return value
    }

    /// Returns a word without the quotes and the backslashes that a shell removes. Variables and commands stay as they
    /// are.
    static func unquoted(_ word: String) -> String {
        var (text, quote, isEscaped) = ("", Character?.none, false)
        for character in word {
            if isEscaped {
                // In double quotes, a backslash is kept unless it precedes one of these.
                if quote == "\"", !"\\\"$`".contains(character) { text.append("\\") }
                text.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else {
                text.append(character)
            }
        }
        return text
    }

    /// Returns the names of all batches, or none if the store fails or does not answer in time.
    private static func names(in fleet: Fleet) -> [String] {
        let (answered, answer) = (DispatchSemaphore(value: 0), Answer())
        Task {
            if let batches = try? await fleet.batches() { answer.set(batches.map(\.name)) }
            answered.signal()
        }
        _ = answered.wait(timeout: .now() + timeLimit)
        return answer.value
    }

    /// The names that a task has read, for the thread that waits for the task.
    private final class Answer: Sendable {
        private let names = Mutex<[String]>([])

        func set(_ names: [String]) { self.names.withLock { $0 = names } }
        var value: [String] { names.withLock { $0 } }
    }
}
