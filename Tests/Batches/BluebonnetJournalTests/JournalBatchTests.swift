// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import Foundation
import Testing

@testable import BluebonnetJournal

@Suite struct JournalBatchTests {
    private static let lines = [RequestLine(url: "a"), RequestLine(id: "b", method: "POST", url: "b")]

    @Test func keyIsStablePerLineAndUniquePerBatch() {
        let batch = JournalBatch(digest: "d", lineCount: 2)
        var again = batch
        again.lineCount = nil
        #expect(batch.key(at: 5) == again.key(at: 5))
        let keys = Set((0..<1_000).map(batch.key))
        #expect(keys.count == 1_000)
        #expect(keys.allSatisfy { UUID(uuidString: $0) != nil })
        #expect(JournalBatch(digest: "d", lineCount: 2).key(at: 5) != batch.key(at: 5))
    }

    @Test func digestCoversLinesAndTheirMeaning() throws {
        let plain = RequestLineRunner.Settings()
        let digest = BatchDigest.ofLines(Self.lines, plain)
        #expect(BatchDigest.ofLines(Self.lines, plain) == digest)
        #expect(BatchDigest.ofLines(Self.lines.reversed(), plain) != digest)
        var others: [RequestLineRunner.Settings] = []
        func add(_ change: (inout RequestLineRunner.Settings) throws -> Void) rethrows {
            var settings = plain
            try change(&settings)
            others.append(settings)
        }
        add { $0.baseURL = URL(string: "http://h/") }
        try add { try $0.addHeader("A: b") }
        try add { try $0.addHeader("A: c") }
        add { $0.bodyForm = .none }
        add { $0.cancelsAtFirstFailure = true }
        add { $0.transferOptions.maximumBodyByteCount = 7 }
        add { $0.transferOptions.keepsDotSegments = true }
        #expect(Set(others.map { BatchDigest.ofLines(Self.lines, $0) } + [digest]).count == others.count + 1)
        #expect(Set(others.map { BatchDigest.ofStream($0) }).count == others.count)
    }

    @Test func digestOmitsCredentialValues() throws {
        for name in ["Authorization", "cookie", "Proxy-Authorization"] {
            var (one, other) = (RequestLineRunner.Settings(), RequestLineRunner.Settings())
            try one.addHeader("\(name): a")
            try other.addHeader("\(name): b")
            #expect(BatchDigest.ofStream(one) == BatchDigest.ofStream(other))
            #expect(BatchDigest.ofStream(one) != BatchDigest.ofStream(.init()))
        }
    }

    @Test func digestOmitsSpeedSettings() {
        var settings = RequestLineRunner.Settings()
        func digest(_ text: String) -> String {
            let digest = BatchDigest.ofFile(settings)
            Data(text.utf8).withUnsafeBytes { digest.update($0) }
            return digest.finish()
        }
        let first = digest("{}\n")
        (settings.concurrency, settings.concurrencyPerOrigin, settings.maximumBytesPerSecond) = (1, 1, 10)
        settings.transferOptions.timeouts.total = .seconds(1)
        settings.transferOptions.retryPolicy = .standard
        #expect(digest("{}\n") == first)
        #expect(digest("{}\n{}\n") != first)
        #expect(BatchDigest.ofStream(settings) != first)
    }

    @Test func waitingCountExcludesEndedAndPossiblySentLines() {
        let batch = JournalBatch(digest: "d", lineCount: 10)
        let summary = JournalSummary(batch: batch, counts: [.success: 3, .failure: 2], mayHaveBeenSentCount: 1)
        #expect(summary.endedCount == 5)
        #expect(summary.waitingCount == 4)
        #expect(JournalSummary(batch: JournalBatch(digest: "d", lineCount: nil)).waitingCount == nil)
    }

    @Test(arguments: [
        ("a.bin", OutputSync.Place.folder(".")), ("/x/a.bin", .folder("/x/")), ("x/y/", .folder("x/y/")),
        ("${a.body}/x", .anywhere),
    ])
    func placeOfAnOutputIsItsFolder(path: String, place: OutputSync.Place) {
        #expect(OutputSync.place(ofOutput: path) == place)
    }
}
