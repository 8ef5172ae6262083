// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Configuration

/// Reads keys of a configuration. A missing key is nil, and a value of another type is an error: the reader's own
/// methods for optional values return nil for both.
struct ConfigurationKeys {
    private static let absentKey = "bluebonnetAbsentKey"

    private let reader: ConfigReader
    /// The text of the reader's error for the absent key. The error for another missing key has the same text with the
    /// name of that key.
    private let absence: String
    /// The error of a provider that fails, which would otherwise look like missing keys.
    private let failure: (any Error)?

    init(_ reader: ConfigReader) {
        self.reader = reader
        do {
            absence = try reader.requiredString(forKey: ConfigKey(Self.absentKey))
            failure = nil
        } catch {
            absence = "\(error)"
            failure = absence.contains(Self.absentKey) ? nil : error
        }
    }

    func string(_ key: String, isSecret: Bool = false) throws(NetworkingError) -> String? {
        try value(key, of: "a text") { try reader.requiredString(forKey: $0, isSecret: isSecret) }
    }

    func strings(_ key: String, isSecret: Bool = false) throws(NetworkingError) -> [String]? {
        try value(key, of: "a list of texts") { try reader.requiredStringArray(forKey: $0, isSecret: isSecret) }
    }

    func bool(_ key: String) throws(NetworkingError) -> Bool? {
        try value(key, of: "true or false") { try reader.requiredBool(forKey: $0) }
    }

    /// Returns a number that is at least `minimum`.
    func integer(_ key: String, minimum: Int = 1) throws(NetworkingError) -> Int? {
        let number = try value(key, of: "a whole number") { try reader.requiredInt(forKey: $0) }
        guard let number, number < minimum else { return number }
        throw Self.error(key, "is \(number), but must be at least \(minimum)")
    }

    /// Returns a time of at least a millisecond.
    func milliseconds(_ key: String) throws(NetworkingError) -> Duration? {
        try integer(key).map { .milliseconds($0) }
    }

    /// Returns one of these values.
    func choice<Value>(_ key: String, of choices: KeyValuePairs<String, Value>) throws(NetworkingError) -> Value? {
        guard let text = try string(key) else { return nil }
        if let choice = choices.first(where: { $0.key == text }) { return choice.value }
        let names = choices.map { "\"\($0.key)\"" }.joined(separator: " or ")
        throw Self.error(key, "is \"\(text)\", but must be \(names)")
    }

    /// Returns pairs of texts that are separated by the first colon, without spaces around the parts.
    func pairs(_ key: String, isSecret: Bool = false) throws(NetworkingError) -> [(String, String)]? {
        guard let texts = try strings(key, isSecret: isSecret) else { return nil }
        var pairs: [(String, String)] = []
        for (index, text) in texts.enumerated() {
            let parts = text.split(separator: ":", maxSplits: 1).map(Self.trimmed)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw Self.error(key, "has an element \(index + 1) that is not two texts with a colon between them")
            }
            pairs.append((parts[0], parts[1]))
        }
        return pairs
    }

    /// Refuses a value that the library cannot follow.
    func refuse(_ key: String, _ reason: String) -> NetworkingError { Self.error(key, reason) }

    /// Makes a value from what a key says. Its error names the key.
    func make<Value>(_ key: String, _ body: () throws(NetworkingError) -> Value) throws(NetworkingError) -> Value {
        do throws(NetworkingError) {
            return try body()
        } catch {
            throw NetworkingError(error.code, "the configuration key \(key): \(error.message)", underlying: error)
        }
    }

    private func value<Value>(
        _ key: String, of kind: String, _ read: (ConfigKey) throws -> Value
    ) throws(NetworkingError) -> Value? {
        if let failure {
            throw NetworkingError(
                .invalidRequest, "the configuration key \(key) cannot be read: \(failure)", underlying: failure)
        }
        do {
            return try read(ConfigKey(key))
        } catch {
            if "\(error)" == absence.replacing(Self.absentKey, with: key) { return nil }
            throw NetworkingError(.invalidRequest, "the configuration key \(key) is not \(kind)", underlying: error)
        }
    }

    private static func error(_ key: String, _ fault: String) -> NetworkingError {
        NetworkingError(.invalidRequest, "the configuration key \(key) \(fault)")
    }

    private static func trimmed(_ text: Substring) -> String {
        let rest = text.drop(while: \.isWhitespace)
        return rest.lastIndex { !$0.isWhitespace }.map { String(rest[...$0]) } ?? ""
    }
}
