// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Runs the fuzz targets with their corpora and former findings, in a build without libFuzzer.
@Suite(.timeLimit(.minutes(2))) struct FuzzCorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fuzzers")

    /// The files of a target with their names: its corpus and its former findings.
    private static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        try ["Corpora", "Findings"].flatMap { kind in
            let folder = folder.appendingPathComponent(kind).appendingPathComponent(target.name)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return try names.sorted().map { name in
                (kind + "/" + name, Array(try Data(contentsOf: folder.appendingPathComponent(name))))
            }
        }
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func propertiesHoldForEveryInput(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        for (file, bytes) in try Self.inputs(of: target) {
            #expect(throws: Never.self, "\(name)/\(file)") { try target.run(bytes) }
        }
    }

    /// Without libFuzzer, targets still get more than their files: up to 20 files truncated, and with one byte
    /// changed.
    @Test(arguments: FuzzTarget.all.map(\.name))
    func propertiesHoldForDamagedInputs(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        var random = SeededGenerator(seed: 35)
        for (file, bytes) in try Self.inputs(of: target).prefix(20) where !bytes.isEmpty {
            var changed = bytes
            changed[Int.random(in: changed.indices, using: &random)] = .random(in: 0...255, using: &random)
            let cut = Array(bytes.prefix(.random(in: 0...bytes.count, using: &random)))
            for input in [changed, cut] {
                #expect(throws: Never.self, "\(name)/\(file), damaged: \(input)") { try target.run(input) }
            }
        }
    }

    @Test func everyTargetHasCorpus() throws {
        for target in FuzzTarget.all {
            #expect(try Self.inputs(of: target).count >= 3, "\(target.name)")
        }
        let corpora = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path + "/Corpora")
        #expect(Set(corpora).subtracting(FuzzTarget.all.map(\.name)) == [], "a corpus is a target's")
    }

    @Test func targetNamesAreUnique() {
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
        #expect(FuzzTarget.named("no such target") == nil)
    }
}
