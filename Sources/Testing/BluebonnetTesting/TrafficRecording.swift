// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import BluebonnetLocks
public import Foundation

/// Real traffic in a file, which tests play without a network: requests with what their servers answered.
///
/// ```swift
/// let recording = try TrafficRecording(file: URL(fileURLWithPath: "Fixtures/users.json"), mode: .recordIfMissing)
/// let manager = RequestOperationManager(baseURL: URL(string: "https://api.example.com/")!, recording: recording)
/// ```
/// The file is JSON, made for people: commit it beside the test, read it in a review, change it by hand. Any thread.
public final class TrafficRecording: Sendable {
    /// Whether requests are sent.
    public enum Mode: Sendable {
        /// No request leaves the process: the recording answers.
        case play
        /// Requests go to their servers, and the file is written anew.
        case record
        /// `play` when the file is there, otherwise `record`.
        case recordIfMissing
    }

    /// What has to be equal between a request and one of the recording.
    public enum Matching: Sendable {
        /// Method, URL and body; JSON by its value.
        case methodURLAndBody
        /// Method and URL.
        case methodAndURL
    }

    private struct Contents: Codable {
        /// The version of the form. Others are refused.
        var bluebonnetRecording = 1
        var exchanges: [RecordedExchange] = []
    }

    private struct State {
        var exchanges: [RecordedExchange]
        /// Which of them were played.
        var played: Set<Int> = []
        var writeError: NetworkingError?
    }

    /// The file.
    public let file: URL
    /// Whether the file answers; otherwise requests are sent and the file is written.
    public let isPlayed: Bool
    private let redaction: RecordingRedaction
    private let matching: Matching
    private let state: Mutex<State>

    /// Opens a recording.
    ///
    /// - Parameters:
    ///   - file: a file of JSON. Its folder has to exist.
    ///   - mode: whether requests are sent. Default `play`.
    ///   - redaction: what is not kept. Default `RecordingRedaction.standard`.
    ///   - matching: what has to be equal between a request and one of the recording. Default method, URL and body.
    /// - Throws: `NetworkingError` with `cannotReadFile` when the file is to be played and cannot be read, or is no
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

    /// The exchanges in their order.
    public var exchanges: [RecordedExchange] { state.withLock { $0.exchanges } }

    /// Checks that every exchange of a recording that is played was asked for.
    ///
    /// - Throws: `UnplayedExchanges`, whose description names those that were not. Of a recording that is written: the
    ///   `NetworkingError` with which the file could not be written, if any.
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

    /// Adds an exchange and writes the file, in place of the one that is there.
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

    /// The answer to a request: that of the first exchange with an equal request that was not played. A request that
    /// the recording does not have fails with `invalidRequest` and what differs.
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
                let text = "\(file.path) is a recording of version \(contents.bluebonnetRecording); this is version 1"
                throw NetworkingError(.cannotReadFile, text)
            }
            return contents.exchanges
        } catch let error as NetworkingError {
            throw error
        } catch {
            throw NetworkingError(
                .cannotReadFile, "\(file.path) is no recording that can be played: \(error)", underlying: error)
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

/// Exchanges of a recording that a test did not ask for. Its description names them line by line.
public struct UnplayedExchanges: Error, Sendable, CustomStringConvertible {
    /// The lines for people.
    public let description: String

    init(_ exchanges: [RecordedExchange], _ file: URL) {
        let lines = exchanges.map { "  - \($0.request.method) \($0.request.url)" }
        description = (["\(file.lastPathComponent) has requests that were not sent:"] + lines).joined(separator: "\n")
    }
}
