// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import BluebonnetLocks
public import Foundation

/// Real traffic in a file, which tests play without a network: requests with their servers' responses.
///
/// ```swift
/// let recording = try TrafficRecording(file: URL(fileURLWithPath: "Fixtures/users.json"), mode: .recordIfMissing)
/// let manager = RequestOperationManager(baseURL: URL(string: "https://api.example.com/")!, recording: recording)
/// ```
/// The file is JSON and readable: commit it next to the test, read it in a review, edit it by hand. Any thread.
public final class TrafficRecording: Sendable {
    /// Whether requests are sent.
    public enum Mode: Sendable {
        /// No request leaves the process: the recording answers all requests.
        case play
        /// Requests are sent to their servers, and the file is overwritten.
        case record
        /// `play` if the file exists, otherwise `record`.
        case recordIfMissing
    }

    /// The parts in which a request must equal a recorded one.
    public enum Matching: Sendable {
        /// The method, the URL and the body. JSON bodies are compared by value.
        case methodURLAndBody
        /// The method and the URL.
        case methodAndURL
    }

    private struct Contents: Codable {
        /// The version of the format. Other versions are rejected.
        var bluebonnetRecording = 1
        var exchanges: [RecordedExchange] = []
    }

    private struct State {
        var exchanges: [RecordedExchange]
        /// The indices of the played exchanges.
        var played: Set<Int> = []
        var writeError: NetworkingError?
    }

    /// The file.
    public let file: URL
    /// Whether the file answers requests; if false, requests are sent and the file is written.
    public let isPlayed: Bool
    private let redaction: RecordingRedaction
    private let matching: Matching
    private let state: Mutex<State>

    /// Opens a recording.
    ///
    /// - Parameters:
    ///   - file: a JSON file. Its folder must exist.
    ///   - mode: whether requests are sent. Default `play`.
    ///   - redaction: the secrets that are not recorded. Default `RecordingRedaction.standard`.
    ///   - matching: the parts in which a request must equal a recorded one. Default: method, URL and body.
    /// - Throws: `NetworkingError` with `cannotReadFile`, if the file must be played and cannot be read, or is not a
    ///   recording.
    public init(
        file: URL, mode: Mode = .play, redaction: RecordingRedaction = .standard,
        matching: Matching = .methodURLAndBody
    ) throws(NetworkingError) {
        (self.file, self.redaction, self.matching) = (file, redaction, matching)
        let exists = FileManager.default.fileExists(atPath: file.path)
        isPlayed =
            switch mode {
            case .play: true
            case .record: false
            case .recordIfMissing: exists
            }
        state = Mutex(State(exchanges: isPlayed ? try Self.read(file) : []))
    }

    /// The exchanges, in order.
    public var exchanges: [RecordedExchange] { state.withLock { $0.exchanges } }

    /// Checks that every exchange of a played recording was requested.
    ///
    /// - Throws: `UnplayedExchanges`, whose description names the exchanges that were not requested. When recording:
    ///   the `NetworkingError` of writing the file, if it failed.
    public func expectAllPlayed() throws {
        let (left, error) = state.withLock { state in
            (
                isPlayed
                    ? state.exchanges.indices.filter { !state.played.contains($0) }.map { state.exchanges[$0] } : [],
                state.writeError
            )
        }
        if let error { throw error }
        if !left.isEmpty { throw UnplayedExchanges(left, file) }
    }

    /// Adds an exchange and overwrites the file.
    func add(_ exchange: RecordedExchange) {
        let exchange = redaction.apply(to: exchange)
        state.withLock { state in
            state.exchanges.append(exchange)
            do throws(NetworkingError) {
                try Self.write(state.exchanges, to: file)
            } catch {
                state.writeError = error
            }
        }
    }

    /// Returns the answer of the first unplayed exchange with an equal request. If there is none, the answer is the
    /// error `invalidRequest` with the differences.
    func answer(to request: SentRequest) -> TestAnswer {
        let wanted = redaction.apply(to: RecordedExchange(request)).request
        let found: Result<RecordedExchange, PlaybackFault> = state.withLock { state in
            let equal = state.exchanges.indices.filter { matches(state.exchanges[$0].request, wanted) }
            if let index = equal.first(where: { !state.played.contains($0) }) {
                state.played.insert(index)
                return .success(state.exchanges[index])
            }
            let left = state.exchanges.indices.filter { !state.played.contains($0) }.map { state.exchanges[$0].request }
            return .failure(PlaybackFault(wanted, playedCount: equal.count, left: left, matching: matching))
        }
        switch found {
        case .success(let exchange): return exchange.answer
        case .failure(let fault):
            return .failure(NetworkingError(.invalidRequest, fault.text(in: file)))
        }
    }

    private func matches(_ recorded: RecordedExchange.Request, _ wanted: RecordedExchange.Request) -> Bool {
        recorded.method == wanted.method && recorded.url == wanted.url
            && (matching == .methodAndURL || recorded.body == wanted.body)
    }

    private static func read(_ file: URL) throws(NetworkingError) -> [RecordedExchange] {
        do {
            let contents = try JSONDecoder().decode(Contents.self, from: try Data(contentsOf: file))
            guard contents.bluebonnetRecording == 1 else {
                let text = "\(file.path) is a recording of version \(contents.bluebonnetRecording); expected version 1"
                throw NetworkingError(.cannotReadFile, text)
            }
            return contents.exchanges
        } catch let error as NetworkingError {
            throw error
        } catch {
            throw NetworkingError(
                .cannotReadFile, "\(file.path) is not a playable recording: \(error)", underlying: error)
        }
    }

    private static func write(_ exchanges: [RecordedExchange], to file: URL) throws(NetworkingError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try ExistingFile.checkReplaceable(file.path)
        do {
            try encoder.encode(Contents(exchanges: exchanges)).write(to: file, options: .atomic)
        } catch {
            throw NetworkingError(.cannotWriteFile, "\(file.path) cannot be written: \(error)", underlying: error)
        }
    }
}

/// The exchanges of a recording that a test did not request. The description names them line by line.
public struct UnplayedExchanges: Error, Sendable, CustomStringConvertible {
    /// The lines for people.
    public let description: String

    init(_ exchanges: [RecordedExchange], _ file: URL) {
        let lines = exchanges.map { "  - \($0.request.method) \($0.request.url)" }
        description = (["\(file.lastPathComponent) has requests that were not sent:"] + lines).joined(separator: "\n")
    }
}
