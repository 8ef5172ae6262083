// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch

/// Converts commands of curl to request lines, a line for each URL. The file is read as a shell reads a script.
struct CurlConverter: LineConverter {
    private var file = WholeFile(longestLine: LineSplitter.usualLongestLine)
    private var commands: ArraySlice<ShellCommand>?
    /// The error that ends the script.
    private var error: ConversionError?
    private var converted: ArraySlice<Conversion> = []

    mutating func append(_ bytes: [UInt8]) { file.append(bytes) }

    mutating func finish() { file.finish() }

    mutating func next() throws(ConversionError) -> Conversion? {
        if commands == nil {
            guard let bytes = try file.removeBytes() else { return nil }
            let script = ShellReader.read(bytes)
            (commands, error) = (script.commands[...], script.error)
        }
        while converted.isEmpty {
            guard let command = commands?.popFirst() else {
                if let error { throw error }
                return nil
            }
            converted = try Self.conversions(of: command)[...]
        }
        return converted.removeFirst()
    }

    /// Converts one command. Nothing of it is returned if any part has an error.
    private static func conversions(of command: ShellCommand) throws(ConversionError) -> [Conversion] {
        var requests = [CurlRequest()]
        for item in try CurlArguments(command).items {
            if item.option == .next { requests.append(CurlRequest()) }
            try requests[requests.count - 1].apply(item)
        }
        var conversions: [Conversion] = []
        for request in requests {
            var warnings = request.warnings
            for line in try request.lines(place: command.line) {
                conversions.append(try Conversion(literal: line, line: command.line, warnings: warnings))
                warnings = []
            }
        }
        return conversions
    }
}
