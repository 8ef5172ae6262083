// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Figures
import Foundation

/// Compares clients with requests that differ in their origins, paths, fields, bodies and serializers.
struct MixedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mixed",
        abstract: "Requests that differ in everything, to 20 origins and to one, beside libcurl and async-http-client.",
        discussion: """
            Every client sends the same requests: \(Work.mixed.mixedOriginCount ?? 0) origins or one, 1,000 paths with \
            a query of their own, a trace id, an idempotency key and a bearer token for each request, a POST of a \
            small JSON body for every tenth one. Each builds its requests as a program on it does: an operation of the \
            manager's (a Foundation URLRequest for each in the row \(Contender.bluebonnetURLRequest.rawValue)), an \
            HTTPClientRequest of a URL's text, printed strings and lists in C. The \
            answer is 256 bytes of JSON; by turns it is decoded to a tree of values, kept as bytes and decoded to a \
            type: by Bluebonnet's serializers, and by Foundation's JSONSerialization and JSONDecoder for \
            async-http-client. libcurl in C decodes nothing. In the row of \(Contender.bluebonnet.rawValue) all \
            operations are queued at once, as a program with a batch does, and the manager's limit holds them back; \
            the others, \(Contender.bluebonnetLoop.rawValue) too, run as many chains as may be in flight, each of which \
            starts its next request when the last one has ended. Statuses, lengths and decoded values are looked at; a \
            client with a single error leaves the case, and the exit status is 1.

            Each client may have the same number of connections to an origin: the requests in flight divided by the \
            origins, rounded up, times two, but no more than the requests in flight. Figures are medians over \
            the rounds, each of which has another order; ratios are taken round by round, to async-http-client's \
            faster form.
            """)

    @Option(help: "How often each is measured.")
    var rounds = 5

    @Option(help: "How many requests each client sends in a round, after its warm-up.")
    var count = 20_000

    @Option(parsing: .upToNextOption, help: "How many of them are in flight.")
    var concurrency = Grid.mixedConcurrencies

    @Option(
        parsing: .upToNextOption,
        help: "Who takes part: \(Case(.mixed, concurrency: 1).contenders.map(\.rawValue).joined(separator: ", ")).")
    var client = Case(.mixed, concurrency: 1).contenders

    @Flag(help: "Decode no answer, as libcurl in C: the clients alone are compared.")
    var keepBytes = false

    @Option(help: ArgumentHelp("Where mixed.json and mixed.txt are written.", valueName: "folder"))
    var output = "benchmark-results"

    func validate() throws {
        guard rounds > 0, count > 0, concurrency.allSatisfy({ 1...1000 ~= $0 }) else {
            throw ValidationError("Counts have to be at least 1, --concurrency 1000 at most.")
        }
        let able = Case(.mixed, concurrency: 1).contenders
        if let other = client.first(where: { !able.contains($0) }) {
            throw ValidationError("\(other.rawValue) takes no part in mixed traffic.")
        }
    }

    func run() throws {
        let results = ResultFolder(path: output)
        try results.make()
        var sizes = Laboratory.Sizes()
        (sizes.mixedCount, sizes.keepsBytes) = (count, keepBytes)
        let works = [Work.mixed, .mixedOneOrigin]
        let cases = works.flatMap { work in concurrency.map { Case(work, concurrency: $0) } }
        let (reports, failures) = try Stage.withServer { folder, server in
            let laboratory = Laboratory(server, folder, sizes, roundCount: rounds)
            let reports = try laboratory.measure(cases.map { ($0, $0.contenders.filter(client.contains)) })
            return (reports, laboratory.failures)
        }
        let report = RunReport(environment: Surroundings.facts, roundCount: rounds, cases: reports)
        print(report.throughputTexts.joined(separator: "\n\n"))
        try results.write(report, failures, name: "mixed")
        try Laboratory.check(failures)
    }
}
