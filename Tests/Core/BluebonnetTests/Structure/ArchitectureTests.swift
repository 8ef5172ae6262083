// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Checks which folder uses which, and limits the size of dependency cycles, of folders and of types in several
/// files. The compiler also checks the dependencies between modules.
@Suite(.timeLimit(.minutes(1))) struct ArchitectureTests {
    /// The folders from the bottom layer up, each with the folders it may use. A new use of a lower folder only needs
    /// an entry here. A use of a higher folder is an error of the structure.
    private static let permitted: [(folder: String, uses: String)] = [
        ("BluebonnetLocks", ""),
        ("BluebonnetHTTP/Syntax", ""),
        ("BluebonnetHTTP/Addresses", "Syntax"),
        ("BluebonnetHTTP/Errors", "Addresses"),
        ("BluebonnetHTTP/Formats", "Addresses Errors Syntax"),
        ("BluebonnetHTTP/JSONPath", "Formats Syntax"),
        ("BluebonnetHTTP/Messages", "Addresses Errors Formats Syntax"),
        ("BluebonnetHTTP/Rules", "Addresses Errors Messages Syntax"),
        ("BluebonnetHTTP/Streams", "Messages Syntax"),
        ("BluebonnetHTTP/Caching", "Addresses Messages Rules Syntax"),
        ("BluebonnetNetwork/Concurrency", ""),
        ("BluebonnetNetwork/NetworkThread", "Concurrency Errors"),
        ("BluebonnetNetwork/Limits", "Addresses"),
        ("BluebonnetNetwork/Reachability", "Concurrency NetworkThread"),
        ("BluebonnetNetwork/Certificates", "Errors Reachability"),
        ("BluebonnetNetwork/Security", "Certificates Errors NetworkThread Reachability Syntax"),
        ("BluebonnetNetwork/TLS", "Addresses Certificates Concurrency Errors NetworkThread Security Syntax"),
        ("BluebonnetNetwork/Files", "Certificates Errors"),
        ("BluebonnetNetwork/PartialFiles", "Certificates Errors Files Messages Rules Syntax"),
        (
            "BluebonnetNetwork/Bodies",
            "Certificates Concurrency Errors Files Messages NetworkThread PartialFiles"
        ),
        (
            "BluebonnetNetwork/Transport",
            "Addresses Bodies Concurrency Errors Limits Messages NetworkThread Reachability Rules Security Syntax TLS"
        ),
        ("BluebonnetNetwork/Credentials", "Addresses Bodies Errors Files Messages NetworkThread Rules"),
        ("BluebonnetNetwork/Environment", "Addresses Credentials Errors Reachability Transport"),
        ("BluebonnetNetwork/Cookies", "Addresses Concurrency Errors Files NetworkThread Syntax Transport"),
        // The files of the two modules outside of folders export the modules below, and name the lock.
        ("BluebonnetNetwork", ""),
        ("Bluebonnet", "Concurrency"),
        ("Bluebonnet/Dependencies", ""),
        ("Bluebonnet/Events", "Addresses Caching Concurrency Errors Messages NetworkThread TLS Transport"),
        ("Bluebonnet/Serialization", "Addresses Bodies Concurrency Errors Formats Messages Syntax"),
        (
            "Bluebonnet/Cache",
            "Addresses Bodies Caching Certificates Concurrency Messages PartialFiles Security Syntax TLS Transport"
        ),
        ("Bluebonnet/Retries", "Addresses Errors Events Messages NetworkThread Rules Transport"),
        ("Bluebonnet/Governor", "Addresses Concurrency Errors Events Messages NetworkThread Retries Rules"),
        (
            "Bluebonnet/Admission",
            "Addresses Certificates Concurrency Errors Events Governor Limits Messages NetworkThread Retries Transport"
        ),
        (
            "Bluebonnet/Hops",
            """
            Addresses Bodies Cache Caching Certificates Concurrency Cookies Credentials Environment Errors Events Files
            Governor Limits Messages NetworkThread PartialFiles Retries Rules Security Serialization Syntax TLS Transport
            """
        ),
        (
            "Bluebonnet/Archive",
            "Environment Errors Hops Limits Messages PartialFiles Retries Security Serialization TLS Transport"
        ),
        // The knot: an operation, its dependents and its queue reference each other.
        (
            "Bluebonnet/Scheduling",
            """
            Addresses Admission Concurrency Dependencies Errors Events NetworkThread Operations Reachability
            """
        ),
        (
            "Bluebonnet/Operations",
            """
            Addresses Admission Archive Bodies Cache Caching Certificates Concurrency Credentials Dependencies Errors Events
            Hops Governor Messages NetworkThread PartialFiles Reachability Retries Scheduling Security Serialization Syntax Transport
            """
        ),
        ("Bluebonnet/Batches", "Concurrency Errors Operations Scheduling"),
        (
            "Bluebonnet/Manager",
            """
            Addresses Admission Archive Batches Bodies Cache Caching Concurrency Cookies Credentials Errors Events Hops
            Formats Governor Messages NetworkThread Operations Reachability Retries Scheduling Security Serialization
            """
        ),
        (
            "Bluebonnet/OAuth",
            "Addresses Admission Credentials Errors Hops Formats Messages Operations Syntax"
        ),
        // Sessions are a façade: they use the public API and nothing below operations.
        (
            "Bluebonnet/Sessions",
            """
            Cache Cookies Credentials Errors Events Hops Formats Governor Manager Messages Operations Reachability
            Security Serialization
            """
        ),
        ("Bluebonnet/Activity", "Operations"),
        (
            "BluebonnetPipelines",
            "Addresses Errors Formats JSONPath Manager Messages Operations Syntax"
        ),
        (
            "BluebonnetStreams",
            "Errors Formats Manager Messages Operations Retries Serialization Streams"
        ),
        ("BluebonnetBatch", ""),
        ("BluebonnetBatch/References", "Errors Formats Messages Syntax"),
        (
            "BluebonnetBatch/Format",
            """
            Addresses BluebonnetBatch/References BluebonnetPipelines Errors Bluebonnet/Events Hops Formats JSONPath Messages Retries Security Serialization
            Syntax TLS Transport
            """
        ),
        // Values about the responses of a pipeline. They start nothing.
        (
            "BluebonnetBatch/Pipelines",
            """
            BluebonnetBatch/References BluebonnetPipelines Certificates Errors Format Formats JSONPath Messages Syntax
            """
        ),
        (
            "BluebonnetBatch/Run",
            """
            Addresses Admission BluebonnetBatch/References BluebonnetPipelines BluebonnetStreams Errors Events Hops Format
            Formats Governor Manager Messages Operations Pipelines Serialization Syntax Transport
            """
        ),
        (
            "BluebonnetBatch/LargeBatches",
            """
            BluebonnetBatch/References BluebonnetPipelines BluebonnetStreams Errors Format Formats JSONPath Messages
            Pipelines Run Streams Syntax
            """
        ),
        (
            "BluebonnetJournal",
            "BluebonnetBatch/References Certificates Files Format LargeBatches Pipelines Run Syntax"
        ),
        ("BluebonnetFleet/Model", "Hops Format Governor Messages Retries Run"),
        ("BluebonnetFleet/PostgreSQL", "Model"),
        ("BluebonnetFleet/Failures", "Format Formats JSONPath Model PostgreSQL"),
        (
            "BluebonnetFleet/Store",
            """
            Addresses BluebonnetBatch/References BluebonnetJournal BluebonnetPipelines Failures Format Formats JSONPath
            LargeBatches Model Pipelines PostgreSQL Run Syntax
            """
        ),
        ("BluebonnetFleet/Schedules", "LargeBatches Model PostgreSQL Store"),
        ("BluebonnetFleet/Credentials", "Credentials Model Store"),
        (
            "BluebonnetFleet/Worker",
            """
            BluebonnetBatch/References BluebonnetJournal BluebonnetPipelines Hops Format Governor Model Operations
            PostgreSQL Run Schedules Store Syntax
            """
        ),
        ("BluebonnetFleet/Health", "Model PostgreSQL Store"),
        ("BluebonnetFleet/Status", "Failures Format LargeBatches Model PostgreSQL Schedules Store"),
        (
            "BluebonnetFleet",
            "BluebonnetFleet/Health Failures Format LargeBatches Model Run Schedules Store"
        ),
        (
            "BluebonnetTesting/Simulation",
            "Admission Concurrency Errors Governor Manager Messages NetworkThread Retries Transport"
        ),
        (
            "BluebonnetTesting",
            "Admission Errors Files Formats Governor Manager Messages Serialization Sessions BluebonnetTesting/Simulation"
        ),
        ("BluebonnetTestServer/Support", ""),
        ("BluebonnetTestServer/Certificates", "Support"),
        ("BluebonnetTestServer/Replies", "Support"),
        ("BluebonnetTestServer/Server", "BluebonnetTestServer/Certificates Replies Support"),
        ("BluebonnetTestServer/Faults", "Server Support"),
        ("BluebonnetCache", "Bodies Cache Certificates Errors Files"),
        ("BluebonnetImage", "Errors Hops Manager Messages Operations Serialization"),
        // Conversions use what programs use.
        ("BluebonnetHTTPTypes", "Errors Manager Messages"),
        ("BluebonnetConfiguration", "Errors Hops Limits Manager Messages Security TLS Transport"),
        ("BluebonnetService", "Manager"),
        ("BluebonnetFleetService", "Model Worker"),
        // Monitors use the events of the core, and for single calls the operation.
        ("BluebonnetMonitors", "Addresses Errors Bluebonnet/Events"),
        ("BluebonnetLogging", "BluebonnetMonitors Bluebonnet/Events Manager"),
        ("BluebonnetMetrics", "BluebonnetMonitors Bluebonnet/Events"),
        ("BluebonnetTracing", "BluebonnetMonitors Bluebonnet/Events Bodies Credentials Errors Operations"),
        ("BluebonnetServing", "Messages"),
        (
            "BluebonnetCommand",
            """
            Addresses BluebonnetBatch/References BluebonnetCache BluebonnetFleet BluebonnetFleet/Credentials
            BluebonnetFleet/Health BluebonnetJournal BluebonnetMonitors BluebonnetServing Certificates Credentials
            Errors Events Failures Files Hops Format Formats Governor LargeBatches Manager Messages Model OAuth Reachability
            Retries Run Schedules Security Status Syntax Transport Worker
            """
        ),
        ("CommandMain", ""),
    ]
    private static let knot: Set = ["Bluebonnet/Operations", "Bluebonnet/Scheduling"]

    private static let tree = SourceTree(
        Dictionary(uniqueKeysWithValues: StyleTests.sources.map { ($0.path, $0.lines.joined(separator: "\n")) }))

    @Test func folderUsesPermittedFoldersOnly() {
        let folders = Dictionary(
            Self.permitted.map { ($0.folder.split(separator: "/").last.map(String.init) ?? "", $0.folder) }
        ) { first, _ in first }
        let permitted = Self.permitted.flatMap { folder, uses in
            uses.split { $0.isWhitespace }.map { SourceTree.Arrow(from: folder, to: folders[String($0)] ?? String($0)) }
        }
        let found = Self.tree.arrows
        let strange = found.filter { !permitted.contains($0.key) }
        #expect(strange.map { "\($0.key) by \($0.value.sorted())" }.sorted() == [], "arrows that are not permitted")
        #expect(Set(permitted).subtracting(found.keys).sorted() == [], "permitted arrows that there are no more")
    }

    @Test func sessionsUseOnlyPublicTypesBelowOperations() {
        let declaration = /^(?:public|open) (?:final )?(?:actor|class|enum|protocol|struct|typealias) (\w+)/
        let publicTypes = Set(
            StyleTests.sources.flatMap(\.lines)
                .compactMap { $0.firstMatch(of: declaration).map { String($0.output.1) } })
        let levels: Set = ["Errors", "Manager", "Operations", "Serialization"]
        let arrows = Self.tree.arrows.filter { arrow, _ in
            arrow.from == "Bluebonnet/Sessions" && !levels.contains { arrow.to.hasSuffix("/" + $0) }
        }
        #expect(arrows.count > 3)
        for (arrow, types) in arrows { #expect(types.subtracting(publicTypes).sorted() == [], "\(arrow)") }
    }

    /// A façade that grows is an engine: what is missing belongs to operations, where everybody has it.
    @Test func sessionsAreAtMostTwelveHundredLinesOfCode() {
        let files = StyleTests.sources.filter { SourceTree.folder($0.path) == "Bluebonnet/Sessions" }
        #expect(files.count > 5)
        let code = files.flatMap(\.lines).filter { line in
            let text = line.drop(while: \.isWhitespace)
            return !text.isEmpty && !text.hasPrefix("//")
        }
        #expect(code.count <= 1_200)
    }

    @Test func everyFolderHasItsRow() {
        let folders = Set(StyleTests.sources.map { SourceTree.folder($0.path) })
        #expect(folders == Set(Self.permitted.map(\.folder)))
    }

    /// C modules affect more than their callers: symbols, process exit, memory.
    @Test func everyCTargetIsListedOnTheStructurePage() throws {
        let manifest = try String(contentsOf: StyleTests.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let named = manifest.matches(of: /arget\(name: "(C[A-Z]\w*)"|systemLibrary\(name: "(\w+)"/)
        let targets = named.compactMap { $0.output.1 ?? $0.output.2 }.map(String.init)
        let page = try DocumentationTests.page("Structure.md")
        let section = page.components(separatedBy: "\n## ").first { $0.hasPrefix("C targets\n") } ?? ""
        let rows = section.matches(of: /\n\| `(\w+)` \| [^|]+ \| [^|]+ \|/).map { String($0.output.1) }
        #expect(targets.count > 5)
        #expect(rows.sorted() == targets.sorted())
    }

    @Test func onlyOperationsAndSchedulingFormAFolderCycle() {
        var edges: [String: Set<String>] = [:]
        for arrow in Self.tree.arrows.keys { edges[arrow.from, default: []].insert(arrow.to) }
        #expect(SourceTree.largestCircle(edges) == Self.knot)
        let rest = edges.filter { !Self.knot.contains($0.key) }
        #expect(SourceTree.largestCircle(rest) == [])
    }

    @Test func onlyOnePairOfFoldersIsMutuallyDependent() {
        let arrows = Self.tree.arrows
        let pairs = arrows.keys.filter { $0 < .init(from: $0.to, to: $0.from) }
            .filter { arrows[.init(from: $0.to, to: $0.from)] != nil }
        #expect(pairs.map(\.description) == ["Bluebonnet/Operations -> Bluebonnet/Scheduling"])
    }

    @Test func fileCycleDoesNotGrow() {
        let circle = SourceTree.largestCircle(Self.tree.uses)
        #expect(circle.count <= 14, "\(circle.sorted())")
    }

    @Test(arguments: ["Sources", "Tests"])
    func folderHasAtMostThirtyFiles(top: String) {
        let files = top == "Sources" ? StyleTests.sources : StyleTests.tests
        let folder = { (path: String) in path.split(separator: "/").dropLast().joined(separator: "/") }
        let counts = Dictionary(grouping: files) { folder($0.path) }.mapValues(\.count)
        #expect(counts.filter { $0.value > 30 } == [:])
        // In Sources, a module's folder counts together with its subfolders. The folder of workarounds is left out:
        // each workaround belongs to a version of libcurl.
        guard top == "Sources" else { return }
        let whole = Dictionary(grouping: files.filter { !$0.path.contains("/Quirks/") }) { SourceTree.folder($0.path) }
            .mapValues(\.count)
        #expect(whole.filter { $0.value > 30 && $0.key != "BluebonnetCommand" } == [:])
    }

    @Test func splitTypesDoNotIncrease() {
        let pieces = StyleTests.sources.filter { file in
            !file.path.contains("/BluebonnetCommand/") && file.path.split(separator: "/").last?.contains("+") == true
        }
        #expect(pieces.count <= 32, "\(pieces.map(\.path))")
    }
}

@Suite struct SourceTreeTests {
    @Test func arrowListsTheTypesUsed() {
        let tree = SourceTree([
            "Sources/Core/Bluebonnet/Low/Base.swift": "package struct Base {}\n",
            "Sources/Core/Bluebonnet/High/User.swift": "final class User { var base: Base? }\n",
        ])
        let arrow = SourceTree.Arrow(from: "Bluebonnet/High", to: "Bluebonnet/Low")
        #expect(tree.arrows == [arrow: ["Base"]])
        #expect(SourceTree.largestCircle(tree.uses) == [])
    }

    @Test func commentsStringsAndNestedTypesProduceNoArrows() {
        let tree = SourceTree([
            "Sources/Core/A/A.swift":
                "struct Alpha { struct Inner {} }\n// Beta\n/* Beta */ let text = \"Beta \\\" Beta\"\n",
            "Sources/Core/B/B.swift":
                "struct Beta {}\nlet long = \"\"\"\nAlpha\n\"\"\"\nlet raw = #\"Alpha \"\"#\nlet inner: Inner\n",
        ])
        #expect(tree.arrows.isEmpty)
    }

    @Test func cycleOfThreeIsFoundAmongOtherEdges() {
        let edges: [String: Set<String>] = ["a": ["b"], "b": ["c", "x"], "c": ["a"], "x": ["y"], "y": [], "z": ["a"]]
        #expect(SourceTree.largestCircle(edges) == ["a", "b", "c"])
    }

    @Test func moduleWithFoldersIsDividedByFolder() {
        #expect(
            SourceTree.folder("Sources/Core/BluebonnetNetwork/Transport/Curl/EasyHandle.swift")
                == "BluebonnetNetwork/Transport")
        #expect(SourceTree.folder("Sources/Core/BluebonnetHTTP/Rules/Range.swift") == "BluebonnetHTTP/Rules")
        #expect(
            SourceTree.folder("Sources/Batches/BluebonnetBatch/LargeBatches/Pump.swift")
                == "BluebonnetBatch/LargeBatches")
        #expect(SourceTree.folder("Sources/Batches/BluebonnetJournal/Journal.swift") == "BluebonnetJournal")
        #expect(SourceTree.folder("Sources/Batches/BluebonnetCommand/Run/Run.swift") == "BluebonnetCommand")
    }
}
