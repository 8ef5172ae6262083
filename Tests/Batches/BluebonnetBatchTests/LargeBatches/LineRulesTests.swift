// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import Testing

@testable import BluebonnetBatch

@Suite struct LineRulesTests {
    private static let remembering = #"{"url":"a","remember":{"since":{"max":"$.a"}}}"#

    private func error(_ line: String, _ rules: LineRules) throws -> RequestLineError? {
        let parsed = try #require(try RequestLineParser().parse(line: Data(line.utf8), number: 1))
        do throws(RequestLineError) {
            try rules.check(parsed.line)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (#"{"url":"a?b=${state.since}"}"#, "url"), (#"{"url":"a","headers":{"A":"${state.a.b}"}}"#, "headers.A"),
        (#"{"url":"a","json":{"b":["${state.c}"]}}"#, "json.b[0]"), (remembering, "remember"),
        (#"{"url":"a","each":{"of":"l","as":"row"},"text":"${state.c}"}"#, "text"),
    ])
    func lineThatNeedsAStateFileIsRefusedWithoutOne(_ line: String, _ field: String) throws {
        let found = try #require(try error(line, LineRules(hasState: false)))
        #expect(found.field == field && found.message.contains("--state FILE"))
        #expect(try error(line, LineRules()) == nil)
    }

    @Test(arguments: [
        #"{"url":"a"}"#, #"{"url":"$${state.a}"}"#, #"{"url":"${state.status}","after":["state"]}"#,
        #"{"url":"${row.id}","each":{"of":"l","as":"row"}}"#,
    ])
    func lineWithoutReferenceToTheStateIsPermitted(_ line: String) throws {
        #expect(try error(line, LineRules(hasState: false)) == nil)
    }

    @Test(arguments: [(remembering, "remember"), (#"{"url":"a","stream":"events"}"#, "stream")])
    func fieldOfOneMachineIsRefusedForAFleet(_ line: String, _ field: String) throws {
        let found = try #require(try error(line, LineRules(isForFleet: true)))
        #expect(found.field == field && found.message.contains("use bluebonnet run"))
        #expect(try error(line, LineRules()) == nil)
    }

    @Test func keyOfALineIsRefusedWithoutAFleet() throws {
        let line = #"{"url":"a","unique":"k"}"#
        let found = try #require(try error(line, LineRules()))
        #expect(found.field == "unique" && found.message.contains("use bluebonnet submit"))
        #expect(try error(line, LineRules(hasState: false, isForFleet: true)) == nil)
    }

    @Test func cachePolicyIsRefusedWithoutACache() throws {
        let line = #"{"url":"a","cache":"reload"}"#
        let found = try #require(try error(line, LineRules(hasCache: false)))
        #expect(found.field == "cache" && found.message.contains("--cache DIR"))
        #expect(try error(line, LineRules()) == nil && error(#"{"url":"a"}"#, LineRules(hasCache: false)) == nil)
    }

    @Test(arguments: ["id", "ID", "Id"])
    func valueNamedLikeTheIDColumnIsRefusedForRows(_ name: String) throws {
        let line = #"{"url":"a","extract":{"\#(name)":"$.id","n":"$.n"}}"#
        #expect(try error(line, LineRules(hasRows: true))?.field == "extract.\(name)")
        #expect(try error(line, LineRules()) == nil)
    }

    @Test func fileReportsTheErrorsOfAllLinesAndItsNames() throws {
        let lines = [
            #"{"url":"a","extract":{"b":"$.b","a":"$.a"}}"#, #"{"url":"${state.a}"}"#, Self.remembering,
            #"{"url":"c","extract":{"a":"$.a","é":"$.e"}}"#,
        ]
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("lines", lines.map { $0 + "\n" }.joined())
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        let limits = LineSchedule.Limits(concurrency: 64, concurrencyPerOrigin: 6)
        var numbers: [Int?] = []
        do throws(BatchFileCheck.Failure) {
            _ = try BatchFileCheck.check(descriptor, limits: limits, rules: LineRules(hasState: false))
        } catch {
            if case .badLines(let errors) = error { numbers = errors.errors.map(\.line) }
        }
        #expect(numbers == [2, 3])
        lseek(descriptor, 0, SEEK_SET)
        let file = try BatchFileCheck.check(descriptor, limits: limits).file
        #expect(file.valueNames == ["a", "b", "é"] && file.remembers)
    }
}
