// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Every code block of the documentation has a test that compiles and runs it, or a stated reason.
@Suite(.timeLimit(.minutes(1))) struct CodeBlockTests {
    /// Swift blocks that no test compiles, by their first lines, with the reasons.
    private static let notCompiled = [
        "README.md: // Package.swift: with a release":
            "SwiftPM reads it; manifestProductsMatchReadme() compares the names",
        "GettingStarted.md: // swift-tools-version: 6.1":
            "SwiftPM reads it; gettingStartedServesTheFolderOfItsFiles() compares the names",
    ]

    /// The tests of the blocks in other languages, by the first lines of the blocks.
    private static let tests = [
        "README.md: Scripts/demo    # installs packages, runs a sample batch on a local server": "blockCommandsExist",
        "README.md: apt-get install libcurl4-openssl-dev libssl-dev zlib1g-dev pkg-config":
            "packageLinesNameInstalledPackages",
        "README.md: FROM swift:6.1-bookworm AS build": "readmeImagesAreThoseOfTheContainerfile",
        "GettingStarted.md: apt-get install libcurl4-openssl-dev libssl-dev zlib1g-dev pkg-config":
            "packageLinesNameInstalledPackages",
        "GettingStarted.md: mkdir -p hello/Sources/hello hello/site": "gettingStartedPrintsThePagesOutput",
        "GettingStarted.md: Hello, Ada": "gettingStartedPrintsThePagesOutput",
        "GettingStarted.md: python3 -m http.server --bind 127.0.0.1 --directory site 8080":
            "gettingStartedServesTheFolderOfItsFiles",
        "GettingStarted.md: swift run hello": "blockCommandsExist",
        "README.md: $ cat batch.ndjson": "batchOfTheReadmeRuns",
        "Reachability.md: $ bluebonnet reachability example.com": "pageReachabilityIsPrinted",
        "Speed.md: swift run -c release --package-path Benchmarks Benchmark": "blockCommandsExist",
        "CONTRIBUTING.md: swift format lint --strict --recursive Package.swift Sources Tests Examples   # silent":
            "blockCommandsExist",
        "Speed.md: swift run -c release --package-path Benchmarks Benchmark tuning": "blockCommandsExist",
        "Speed.md: swift run -c release --package-path Benchmarks LoadDriver --mix http://127.0.0.1:8080 "
            + "http://127.0.0.1:8081 \\": "blockCommandsExist",
        "Compared.md: swift run -c release --package-path Benchmarks Compare --table "
            + "Sources/Core/Bluebonnet/Bluebonnet.docc/Compared.md": "blockCommandsExist",
        "Structure.md: swift test --filter BluebonnetHTTPTests": "blockCommandsExist",
        "PinningAndTrust.md: openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl "
            + "dgst -sha256 -binary | base64": "pageCommandPrintsTheDigestOfAKey",
        #"Fleet.md: psql -h db.example.com -U postgres -c "CREATE ROLE fleet LOGIN PASSWORD '…'" -c "CREATE DATABASE "#
            + #"fleet OWNER fleet""#: "firstFleetOfThePageRuns",
        "Fleet.md: GRANT USAGE ON SCHEMA bluebonnet TO worker;": "pageGrantsPermitDocumentedActions",
        "Fleet.md: UPDATE bluebonnet.results SET written = DEFAULT;": "pageStatementShowsResultsOfRestoredStore",
        "Fleet.md: bluebonnet remove nightly": "batchOfThePageIsRemoved",
        "CommandFormat.md: bluebonnet run batch.ndjson --base-url https://api.example.com/v1/ --header 'X-Client: "
            + "demo'": "requestLinesOfThePageRun",
        "CommandFormat.md: bluebonnet run batch.ndjson --into users.csv": "rowsOfThePageAreWritten",
        #"CommandFormat.md: {"id": "ada", "url": "users/7", "extract": {"name": "$.name", "age": "$.age"}}"#:
            "rowsOfThePageAreWritten",
        "CommandFormat.md: id,age,name": "rowsOfThePageAreWritten",
        "CommandFormat.md: bluebonnet run batch.ndjson --report junit=run.xml --report html=run.html":
            "reportsAndConditionsOfThePageAreAccepted",
        "CommandFormat.md: bluebonnet run batch.ndjson --fail-if 'failed > 1%' --fail-if 'p95 > 800ms'":
            "reportsAndConditionsOfThePageAreAccepted",
        "CommandFormat.md: bluebonnet run news.ndjson --state news.state.json": "stateOfThePageIsRemembered",
        #"CommandFormat.md: {"url": "items?since=${state.since}", "remember": {"since": {"max": "$[*].at"}}}"#:
            "stateOfThePageIsRemembered",
        #"Pipelines.md: {"id": "users", "url": "users?limit=100", "paginate": {"next": "link"}}"#:
            "pipelineLinesOfThePageRun",
        #"Pipelines.md: {"url": "report", "rows": "$.lines[*]", "extract": {"sku": "$.sku", "sum": "$.total"}}"#:
            "pipelineLinesOfThePageRun",
        #"Pipelines.md: {"url": "users/7", "assert": [{"path": "$.active", "equals": true}, {"duration": true, "#
            + #""lessThan": 0.5}]}"#: "pipelineLinesOfThePageRun",
        #"Pipelines.md: {"id": "job", "url": "jobs/7", "until": {"assert": [{"path": "$.state", "matches": "#
            + #""^(done|failed)$"}], "every": 2, "timeout": 600}}"#: "pipelineLinesOfThePageRun",
        #"Pipelines.md: {"id": "answer", "url": "v1/chat", "method": "POST", "json": {"prompt": "Hi", "stream": "#
            + #"true}, "stream": "events", "assert": [{"text": true, "notEquals": ""}]}"#: "pipelineLinesOfThePageRun",
        #"Caching.md: {"id": "config", "url": "config", "cache": "onlyIfCached"}"#: "linesOfThePageUseTheirPolicies",
        "CommandFormat.md: bluebonnet lines from curl requests.sh > batch.ndjson": "conversionsOfThePageRun",
        #"CommandFormat.md: {"id": "login", "method": "POST", "url": "login", "json": {"user": "ada", "password": "#
            + #""secret"}}"#: "requestLinesOfThePageRun",
        "ComingFromCurl.md: # xargs -P 8 -n 1 curl -fsSLO --retry 3 < urls.txt": "listOfURLsBecomesBatch",
        #"ComingFromCurl.md: # curl --json '{"name": "Ada"}' -H 'X-Client: demo' \"#: "singleRequestIsOneLine",
        "ComingFromCurl.md: # curl --remote-name 'https://api.example.com/v1/items/[1-100]'":
            "numberedURLsComeFromPipe",
        "FleetInProduction.md: export BLUEBONNET_STORE=postgresql://fleet@db.example.com/fleet":
            "commandsCheckNewStore",
        "CommandFormat.md: bluebonnet results nightly --failed --group-by code,status": "commandsOfThePagesRun",
        "Fleet.md: bluebonnet results nightly --failed --group-by code,origin": "commandsOfThePagesRun",
        #"Fleet.md: {"url": "invoices/17", "method": "POST", "unique": "invoice 17"}"#: "lineOfThePageRunsOnce",
        "Fleet.md: bluebonnet schedule orders orders.ndjson --every '*/15 * * * *' --keep 7d": "commandsOfThePagesRun",
        #"CommandFormat.md: echo '{"since": 0}' > news.state.json"#: "stateOfThePageIsRemembered",
        "FleetInProduction.md: bluebonnet doctor postgresql://fleet@db.example.com/fleet":
            "doctorFindsNothingInNewStore",
        "WatchingAFleet.md: bluebonnet status --serve 127.0.0.1:8080": "statusPageOfThePageIsServed",
        "WatchingAFleet.md: umask 077": "tokenOfThePageIsDemanded",
        "WatchingAFleet.md: scrape_configs:": "scrapeConfigurationOfThePageFitsTheWorker",
        "TestingYourProgram.md: ShopTests/OrderTests.swift:42: the sent requests differ from the expected ones "
            + "(- missing, + not expected):":
            "missingAndSurplusRequestsKeepTheOthersInPlace",
        "TestingYourProgram.md: {": "pageFileIsValidRecording",
        "CommandFormat.md: bluebonnet run batch.ndjson --har run.har --trace run.json --summary":
            "filesOfThePageAreWritten",
        #"CommandFormat.md: {"id":"me","outcome":"success","status":200,"url":"https://api.example.com/v1/me","#
            + #""bytes":14,"headers":{"content-type":"application/json"},"body":"{\"name\":\"Ada\"}","attempts":1,"#
            + #""redirects":0,"protocol":"h2","reused":true}"#: "resultLineOfThePageIsRead",
    ]

    private static func blocks() throws -> [CodeBlock] { try CodeBlock.ofPages() + CodeBlock.ofSources() }

    @Test func everySwiftBlockIsCompiled() throws {
        let twins = Dictionary(grouping: try BlockTwin.all(), by: \.page)
        let blocks = try Self.blocks().filter { $0.language == "swift" }
        #expect(blocks.count > 40)
        for block in blocks where Self.notCompiled[block.description] == nil {
            let code = BlockTwin.code(of: block.lines)
            let isCompiled = twins[block.page]?.contains { $0.code == code } == true
            #expect(isCompiled, "no test has the block: \(block)")
        }
        for (block, reason) in Self.notCompiled { Swift.print("not compiled: \(block) – \(reason)") }
    }

    @Test func everyTwinIsOnItsPage() throws {
        let blocks = Dictionary(grouping: try Self.blocks(), by: \.page)
        for twin in try BlockTwin.all() {
            let codes = blocks[twin.page]?.map { BlockTwin.code(of: $0.lines) } ?? []
            #expect(codes.contains(twin.code), "\(twin.page) has no such block: \(twin.code.prefix(120))")
            #expect(twin.idleReplacements == [], "\(twin.page)")
        }
    }

    @Test func everyOtherBlockHasTest() throws {
        let others = try Self.blocks().filter { $0.language != "swift" }
        #expect(others.filter { $0.language.isEmpty }.map(\.description) == [], "blocks without a language")
        #expect(Set(others.map(\.description)).subtracting(Self.tests.keys).sorted() == [])
        #expect(Set(Self.tests.keys).subtracting(others.map(\.description)).sorted() == [])
        let sources = try Self.testSources()
        for name in Set(Self.tests.values) { #expect(sources.contains("func \(name)("), "no test \(name)") }
    }

    @Test func everyExceptionNamesExistingBlock() throws {
        let blocks = Set(try Self.blocks().map(\.description))
        #expect(Set(Self.notCompiled.keys).subtracting(blocks).sorted() == [])
    }

    @Test func blockIsComparedWithoutCommentsImportsAndSpace() {
        let page = ["import Foundation", "", "// Why.", "let a = f( 1,", "  2)   // what", #"print("http://h/")"#]
        let test = ["        let a = f(1, 2)", #"        print("http://h/")"#]
        #expect(BlockTwin.code(of: page) == BlockTwin.code(of: test))
        #expect(BlockTwin.code(of: page) != BlockTwin.code(of: ["let a = f(1, 3)", #"print("http://h/")"#]))
    }

    @Test func twinIsReadWithReplacements() {
        let text = "  // BLOCK A.md\n  // where x.y is \"h\"\n  // where z is 3\n  f(x.y)\n  // END\n"
        let twins = BlockTwin.twins(in: text)
        #expect(twins.map(\.page) == ["A.md"])
        #expect(twins.map(\.code) == [#"f("h")"#])
        #expect(twins.map(\.idleReplacements) == [["z"]])
    }

    @Test func manifestProductsMatchReadme() throws {
        let manifest = try String(contentsOf: CodeBlock.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let block = try #require(try Self.blocks().first { Self.notCompiled[$0.description] != nil })
        #expect(manifest.contains(#".library(name: "Bluebonnet", targets"#))
        #expect(block.lines.contains(#".product(name: "Bluebonnet", package: "bluebonnet")"#))
    }

    private static func testSources() throws -> String {
        let folder = CodeBlock.root.appendingPathComponent("Tests")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix("Tests.swift") }.map {
            try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
        }.joined()
    }
}
