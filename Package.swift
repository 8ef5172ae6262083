// swift-tools-version: 6.1
// Bluebonnet: an HTTP client library and batch runner for Swift on Linux.

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Debug builds check the order in which locks are taken: see the documentation page "Locks and waits".
let checksLockOrder = SwiftSetting.define("BLUEBONNET_LOCK_ORDER", .when(configuration: .debug))

/// SQLite, as BluebonnetJournal and BluebonnetCache use it.
let grdb = Target.Dependency.product(
    name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Journal", "Cache"]))

/// SwiftNIO, as BluebonnetTestServer and the tests of names use it.
let swiftNIO: [Target.Dependency] = [
    ("NIOCore", "swift-nio"), ("NIOHTTP1", "swift-nio"), ("NIOPosix", "swift-nio"), ("NIOHTTP2", "swift-nio-http2"),
    ("NIOHPACK", "swift-nio-http2"), ("NIOSSL", "swift-nio-ssl"),
].map { .product(name: $0, package: $1, condition: .when(traits: ["TestServer"])) }

/// The packages that BluebonnetHTTPTypes, BluebonnetService and BluebonnetConfiguration convert from and to.
let httpTypes = Target.Dependency.product(
    name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["HTTPTypes"]))
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Service"]))
let signals = Target.Dependency.product(
    name: "UnixSignals", package: "swift-service-lifecycle", condition: .when(traits: ["Service"]))
let lifecycleTests = Target.Dependency.product(
    name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle", condition: .when(traits: ["Service"]))
let configuration = Target.Dependency.product(
    name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Configuration"]))

/// The interfaces of server-side Swift that BluebonnetLogging, BluebonnetMetrics and BluebonnetTracing report to.
let logging = Target.Dependency.product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"]))
let metrics = Target.Dependency.product(
    name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"]))
let tracing = Target.Dependency.product(
    name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"]))

/// Whether the package is a program's, in its build folder or still in the repository ("/"): there, nobody runs the
/// package's own tests.
let folders = Context.packageDirectory.split(separator: "/")
let isDependency = folders.isEmpty || folders.contains("checkouts") || folders.contains("registry")

/// The traits whose packages need Swift 6.2. With an older Swift, what belongs to them is left out at the end.
#if compiler(>=6.2)
    let newestTraits: Set = ["Service", "Configuration"]
#else
    let newestTraits: Set<String> = []
#endif
let ownTraits = newestTraits.union([
    "Journal", "Cache", "TestServer", "Logging", "Metrics", "Tracing", "HTTPTypes",
])

let package = Package(
    name: "Bluebonnet",
    products: [
        .library(name: "Bluebonnet", targets: ["Bluebonnet"]),
        .library(name: "BluebonnetStreams", targets: ["BluebonnetStreams"]),
        .library(name: "BluebonnetPipelines", targets: ["BluebonnetPipelines"]),
        .library(name: "BluebonnetBatch", targets: ["BluebonnetBatch"]),
        .library(name: "BluebonnetCache", targets: ["BluebonnetCache"]),
        .library(name: "BluebonnetImage", targets: ["BluebonnetImage"]),
        .library(name: "BluebonnetLogging", targets: ["BluebonnetLogging"]),
        .library(name: "BluebonnetMetrics", targets: ["BluebonnetMetrics"]),
        .library(name: "BluebonnetTracing", targets: ["BluebonnetTracing"]),
        .library(name: "BluebonnetHTTPTypes", targets: ["BluebonnetHTTPTypes"]),
        .library(name: "BluebonnetConfiguration", targets: ["BluebonnetConfiguration"]),
        .library(name: "BluebonnetService", targets: ["BluebonnetService"]),
        .library(name: "BluebonnetFleetService", targets: ["BluebonnetFleetService"]),
        .library(name: "BluebonnetJournal", targets: ["BluebonnetJournal"]),
        .library(name: "BluebonnetFleet", targets: ["BluebonnetFleet"]),
        .library(name: "BluebonnetTesting", targets: ["BluebonnetTesting"]),
        .library(name: "BluebonnetTestServer", targets: ["BluebonnetTestServer"]),
        // The command is a target without a product here: clients fetch what products need, and swift-argument-parser
        // would be fetched for each of them.
    ],
    traits: [
        .trait(name: "Journal", description: "BluebonnetJournal in files of SQLite: fetches the package GRDB."),
        .trait(name: "Cache", description: "BluebonnetCache in files: fetches the package GRDB."),
        .trait(name: "TestServer", description: "BluebonnetTestServer for tests: fetches SwiftNIO's packages."),
        .trait(name: "Logging", description: "BluebonnetLogging: fetches the package swift-log."),
        .trait(name: "Metrics", description: "BluebonnetMetrics: fetches the package swift-metrics."),
        .trait(name: "Tracing", description: "BluebonnetTracing: fetches the package swift-distributed-tracing."),
        .trait(name: "HTTPTypes", description: "BluebonnetHTTPTypes: fetches the package swift-http-types."),
        .trait(
            name: "Service",
            description: "BluebonnetService and BluebonnetFleetService: fetches the package swift-service-lifecycle."),
        .trait(name: "Configuration", description: "BluebonnetConfiguration: fetches the package swift-configuration."),
        // The command needs the first two, the package's own tests the others. A program that depends on the package
        // with traits: [] fetches nothing.
        .default(enabledTraits: isDependency ? ["Journal", "Cache"] : ownTraits),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
    ],
    targets: [
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // Without pkgConfig: gdk-pixbuf's flags hold one that SwiftPM warns about. Only BluebonnetImage needs it
        // installed.
        .systemLibrary(name: "CGdkPixbuf", providers: [.apt(["libgdk-pixbuf-2.0-dev"])]),
        // Only BluebonnetFleet, and with it the command, needs it installed.
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "CExit", dependencies: ["COpenSSL"]),
        .target(name: "CHTTP2"),
        .systemLibrary(name: "CLinux"),
        .target(name: "BluebonnetHTTP", swiftSettings: strict),
        // The lock of all targets below: the thread sanitizer cannot see Synchronization.Mutex.
        .target(name: "BluebonnetLocks", swiftSettings: strict),
        // What carries one transfer: the network thread, libcurl, TLS, bodies, cookies, credentials, reachability.
        .target(
            name: "BluebonnetNetwork",
            dependencies: [
                "BluebonnetHTTP", "BluebonnetLocks", "CCurl", "CExit", "CHTTP2", "CLinux", "COpenSSL", "CZlib",
            ],
            swiftSettings: strict + [checksLockOrder]
        ),
        .target(
            name: "Bluebonnet",
            dependencies: ["BluebonnetHTTP", "BluebonnetLocks", "BluebonnetNetwork"],
            swiftSettings: strict + [checksLockOrder]
        ),
        // Bodies that are read while they arrive: chunks, lines, JSON texts, server-sent events.
        .target(
            name: "BluebonnetStreams", dependencies: ["Bluebonnet", "BluebonnetHTTP", "BluebonnetLocks"],
            swiftSettings: strict),
        // Pages of a resource: as sequences for programs, as rules for request lines.
        .target(
            name: "BluebonnetPipelines", dependencies: ["Bluebonnet", "BluebonnetHTTP", "BluebonnetLocks"],
            swiftSettings: strict),
        .target(
            name: "BluebonnetBatch",
            dependencies: [
                "Bluebonnet", "BluebonnetHTTP", "BluebonnetLocks", "BluebonnetPipelines", "BluebonnetStreams", "CLinux",
            ],
            swiftSettings: strict),
        // A cache in a folder, shared by processes.
        .target(
            name: "BluebonnetCache", dependencies: ["Bluebonnet", "BluebonnetHTTP", "BluebonnetLocks", "CLinux", grdb],
            swiftSettings: strict),
        .target(
            name: "BluebonnetImage",
            dependencies: ["Bluebonnet", "BluebonnetLocks", "CGdkPixbuf"],
            swiftSettings: strict
        ),
        // Monitors that report to other packages: events in; log messages, metrics and spans out.
        .target(
            name: "BluebonnetLogging", dependencies: ["Bluebonnet", "BluebonnetLocks", "BluebonnetMonitors", logging],
            swiftSettings: strict),
        .target(
            name: "BluebonnetMetrics", dependencies: ["Bluebonnet", "BluebonnetLocks", "BluebonnetMonitors", metrics],
            swiftSettings: strict),
        .target(
            name: "BluebonnetTracing", dependencies: ["Bluebonnet", "BluebonnetLocks", "BluebonnetMonitors", tracing],
            swiftSettings: strict),
        // Conversions from and to other packages.
        .target(name: "BluebonnetHTTPTypes", dependencies: ["Bluebonnet", httpTypes], swiftSettings: strict),
        .target(name: "BluebonnetConfiguration", dependencies: ["Bluebonnet", configuration], swiftSettings: strict),
        .target(name: "BluebonnetService", dependencies: ["Bluebonnet", lifecycle], swiftSettings: strict),
        .target(name: "BluebonnetFleetService", dependencies: ["BluebonnetFleet", lifecycle], swiftSettings: strict),
        // What the three monitors have in common.
        .target(name: "BluebonnetMonitors", dependencies: ["Bluebonnet"], swiftSettings: strict),
        .target(
            name: "BluebonnetJournal",
            dependencies: ["Bluebonnet", "BluebonnetBatch", "BluebonnetHTTP", "BluebonnetLocks", "CLinux", grdb],
            swiftSettings: strict
        ),
        .target(
            name: "BluebonnetFleet",
            dependencies: [
                "Bluebonnet", "BluebonnetBatch", "BluebonnetHTTP", "BluebonnetJournal", "BluebonnetLocks",
                "BluebonnetPipelines", "CLinux", "CPostgreSQL",
            ],
            swiftSettings: strict
        ),
        // A small HTTP server for figures and pages about the command's own work.
        .target(
            name: "BluebonnetServing", dependencies: ["BluebonnetHTTP", "BluebonnetLocks", "CLinux"],
            swiftSettings: strict),
        // For the tests of programs: nothing else uses it.
        .target(
            name: "BluebonnetTesting", dependencies: ["Bluebonnet", "BluebonnetLocks"], swiftSettings: strict),
        // For the tests of programs, too, with the trait TestServer. It knows nothing of the library.
        .target(
            name: "BluebonnetTestServer", dependencies: ["BluebonnetLocks"] + swiftNIO, swiftSettings: strict),
        .target(
            name: "BluebonnetCommand",
            dependencies: [
                "Bluebonnet", "BluebonnetBatch", "BluebonnetCache", "BluebonnetFleet", "BluebonnetJournal",
                "BluebonnetLocks", "BluebonnetMonitors", "BluebonnetServing", "CLinux", grdb,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "bluebonnet", dependencies: ["BluebonnetCommand"], path: "Sources/Batches/CommandMain",
            swiftSettings: strict),
        .executableTarget(
            name: "BatchExample", dependencies: ["Bluebonnet"], path: "Examples/Batch", swiftSettings: strict),
        .executableTarget(
            name: "DependentCallsExample", dependencies: ["Bluebonnet"], path: "Examples/DependentCalls",
            swiftSettings: strict),
        .executableTarget(
            name: "CancelAndPauseExample", dependencies: ["Bluebonnet"], path: "Examples/CancelAndPause",
            swiftSettings: strict),
        .executableTarget(
            name: "ReachabilityExample", dependencies: ["Bluebonnet"], path: "Examples/Reachability",
            swiftSettings: strict),
        .executableTarget(
            name: "TokensAndLimitsExample", dependencies: ["Bluebonnet"], path: "Examples/TokensAndLimits",
            swiftSettings: strict),
        .executableTarget(
            name: "Demo",
            dependencies: [
                "Bluebonnet", "COpenSSL",
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            path: "Examples/Demo",
            swiftSettings: strict
        ),
        // Servers that are programs of their own, like nginx: for this package's tests.
        .target(
            name: "RealServers", dependencies: ["BluebonnetLocks", "BluebonnetTestServer"],
            swiftSettings: strict),
        .target(name: "TestSupport", swiftSettings: strict),
        // What faults are injected into, and what has to hold then. Without the library's inside, for programs too.
        .target(
            name: "FaultKit",
            dependencies: ["Bluebonnet", "BluebonnetLocks", "COpenSSL", "BluebonnetTestServer", "RealServers"],
            swiftSettings: strict),
        // What fuzzers and tests feed to the parsers, and what has to hold then. Scripts/fuzz builds the program with
        // libFuzzer; without, it runs the files that it is given.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Bluebonnet", "BluebonnetBatch", "BluebonnetFleet", "BluebonnetHTTP", "BluebonnetJournal",
                "BluebonnetNetwork", "BluebonnetServing", "CCurl", "CPostgreSQL", "CZlib",
            ],
            path: "Tests/Fuzzers/Targets", swiftSettings: strict),
        .executableTarget(
            name: "Fuzzer", dependencies: ["FuzzTargets"], path: "Tests/Fuzzers/Program", swiftSettings: strict),
        .testTarget(
            name: "BluebonnetFuzzTests", dependencies: ["FuzzTargets", "TestSupport"], swiftSettings: strict),
        .executableTarget(
            name: "TortureProbe",
            dependencies: ["Bluebonnet", "BluebonnetBatch", "BluebonnetJournal", "BluebonnetLocks"],
            exclude: ["Preload"], swiftSettings: strict),
        .executableTarget(
            name: "SoakProbe",
            dependencies: [
                "Bluebonnet", "BluebonnetLocks", "FaultKit", "BluebonnetTestServer", "RealServers", "TestSupport",
            ], swiftSettings: strict),
        .target(name: "EarlyOpenSSL", dependencies: ["COpenSSL"]),
        .executableTarget(
            name: "ExitProbe", dependencies: ["Bluebonnet", "CExit", "EarlyOpenSSL"],
            swiftSettings: strict),
        // The request whose files a test compares with the page "The way of a request".
        .executableTarget(
            name: "TraceProbe", dependencies: ["Bluebonnet"], exclude: ["trace.py"], swiftSettings: strict),
        // Without a server, a file or a thread: they run alone in seconds.
        .testTarget(
            name: "BluebonnetHTTPTests", dependencies: ["BluebonnetHTTP", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "BluebonnetBatchTests",
            dependencies: [
                "Bluebonnet", "BluebonnetBatch", "BluebonnetHTTP", "BluebonnetNetwork", "BluebonnetPipelines",
                "BluebonnetTestServer",
                "RealServers", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BluebonnetJournalTests",
            dependencies: [
                "Bluebonnet", "BluebonnetBatch", "BluebonnetHTTP", "BluebonnetJournal", "BluebonnetLocks",
                "BluebonnetTestServer", grdb,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BluebonnetServingTests", dependencies: ["BluebonnetLocks", "BluebonnetServing"],
            swiftSettings: strict),
        .testTarget(
            name: "BluebonnetTestServerTests", dependencies: ["Bluebonnet", "BluebonnetTestServer"],
            swiftSettings: strict),
        .testTarget(
            name: "BluebonnetTestingTests",
            dependencies: [
                "Bluebonnet", "BluebonnetLocks", "BluebonnetStreams", "BluebonnetTesting", "BluebonnetTestServer",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BluebonnetFleetTests",
            dependencies: [
                "Bluebonnet", "BluebonnetBatch", "BluebonnetFleet", "BluebonnetHTTP", "BluebonnetJournal",
                "BluebonnetTestServer", "RealServers", "TestSupport",
            ],
            swiftSettings: strict),
        // Security claims and the rules of the RFCs, against servers that break them.
        .testTarget(
            name: "BluebonnetRulesTests",
            dependencies: [
                "Bluebonnet", "BluebonnetHTTP", "BluebonnetNetwork", "BluebonnetTestServer", "RealServers",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BluebonnetTests",
            dependencies: [
                "Bluebonnet", "BluebonnetBatch", "BluebonnetFleet", "BluebonnetHTTP", "BluebonnetJournal",
                "BluebonnetLocks", "BluebonnetNetwork", "BluebonnetPipelines", "BluebonnetStreams",
                "BluebonnetTesting", "BluebonnetTestServer", "CLinux", "COpenSSL", "RealServers", "TestSupport",
                "TraceProbe",
            ] + swiftNIO,
            resources: [.copy("Security/Pins")],
            swiftSettings: strict + [checksLockOrder]
        ),
        // Faults of the network and of the machine. Apart, because it needs no inside of the library.
        .testTarget(
            name: "BluebonnetFaultTests",
            dependencies: [
                "Bluebonnet", "FaultKit", "SoakProbe", "BluebonnetTestServer", "RealServers", "TestSupport",
                "TortureProbe",
            ],
            swiftSettings: strict),
        // Certificate chains and cookies against other people's rules. Python makes what it needs.
        .testTarget(
            name: "BluebonnetTrustTests",
            dependencies: [
                "Bluebonnet", "BluebonnetHTTP", "BluebonnetNetwork", "BluebonnetTestServer", "RealServers",
                "bluebonnet",
            ],
            exclude: ["Python"],
            swiftSettings: strict),
        // The code of README.md and of the documentation, as programs would have it: nothing is imported for tests
        // only.
        .testTarget(
            name: "BluebonnetDocumentationTests",
            dependencies: [
                "Bluebonnet", "BluebonnetBatch", "BluebonnetCache", "BluebonnetConfiguration", "BluebonnetFleet",
                "BluebonnetFleetService", "BluebonnetHTTPTypes", "BluebonnetImage", "BluebonnetJournal",
                "BluebonnetLogging", "BluebonnetMetrics", "BluebonnetPipelines", "BluebonnetService",
                "BluebonnetStreams", "BluebonnetTesting", "BluebonnetTestServer", "BluebonnetTracing", "RealServers",
                "TestSupport", configuration, httpTypes, lifecycle, logging, metrics, signals, tracing,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BluebonnetCacheTests",
            dependencies: [
                "Bluebonnet", "BluebonnetCache", "BluebonnetHTTP", "BluebonnetLocks", "BluebonnetNetwork",
                "BluebonnetTestServer", "CacheProbe", "CLinux", "RealServers", "TestSupport", grdb,
            ],
            swiftSettings: strict),
        // Stores responses until it is killed.
        .executableTarget(
            name: "CacheProbe", dependencies: ["Bluebonnet", "BluebonnetCache", "BluebonnetHTTP"],
            swiftSettings: strict),
        .testTarget(
            name: "BluebonnetImageTests",
            dependencies: ["Bluebonnet", "BluebonnetImage", "BluebonnetTestServer"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BluebonnetPipelinesTests",
            dependencies: [
                "Bluebonnet", "BluebonnetHTTP", "BluebonnetLocks", "BluebonnetPipelines", "BluebonnetTestServer",
                "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BluebonnetStreamsTests",
            dependencies: [
                "Bluebonnet", "BluebonnetHTTP", "BluebonnetLocks", "BluebonnetStreams", "BluebonnetTestServer",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BluebonnetMonitorsTests", dependencies: ["BluebonnetMonitors"], swiftSettings: strict),
        .testTarget(
            name: "BluebonnetLoggingTests",
            dependencies: ["Bluebonnet", "BluebonnetLocks", "BluebonnetLogging", "BluebonnetTestServer", logging],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BluebonnetMetricsTests",
            dependencies: ["Bluebonnet", "BluebonnetLocks", "BluebonnetMetrics", "BluebonnetTestServer", metrics],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BluebonnetTracingTests",
            dependencies: ["Bluebonnet", "BluebonnetLocks", "BluebonnetTestServer", "BluebonnetTracing", tracing],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BluebonnetHTTPTypesTests",
            dependencies: ["Bluebonnet", "BluebonnetHTTPTypes", "BluebonnetTesting", httpTypes], swiftSettings: strict),
        .testTarget(
            name: "BluebonnetConfigurationTests",
            dependencies: ["Bluebonnet", "BluebonnetConfiguration", configuration], swiftSettings: strict),
        .testTarget(
            name: "BluebonnetServiceTests",
            dependencies: [
                "Bluebonnet", "BluebonnetService", "BluebonnetTestServer", lifecycle, lifecycleTests,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BluebonnetFleetServiceTests",
            dependencies: [
                "BluebonnetBatch", "BluebonnetFleet", "BluebonnetFleetService", "BluebonnetTestServer", "RealServers",
                lifecycle, lifecycleTests,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BluebonnetCommandTests",
            dependencies: [
                "BatchExample", "Bluebonnet", "BluebonnetBatch", "BluebonnetCommand", "BluebonnetFleet",
                "BluebonnetLocks",
                "BluebonnetServing", "BluebonnetTestServer", "CancelAndPauseExample",
                "CLinux", "Demo", "DependentCallsExample", "ExitProbe",
                grdb,
                "ReachabilityExample",
                "RealServers", "TestSupport", "TokensAndLimitsExample", "bluebonnet",
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)

/// The folders of Sources and Tests that show the parts. What belongs to all parts is in Tests itself.
let parts = [
    "Sources/Core": ["Bluebonnet", "BluebonnetHTTP", "BluebonnetLocks", "BluebonnetNetwork", "BluebonnetStreams"],
    "Sources/Batches": [
        "BluebonnetBatch", "BluebonnetCommand", "BluebonnetFleet", "BluebonnetJournal", "BluebonnetPipelines",
        "BluebonnetServing",
    ],
    "Sources/Testing": ["BluebonnetTestServer", "BluebonnetTesting"],
    "Sources/Products": [
        "BluebonnetCache", "BluebonnetConfiguration", "BluebonnetFleetService", "BluebonnetHTTPTypes",
        "BluebonnetImage", "BluebonnetLogging", "BluebonnetMetrics", "BluebonnetMonitors", "BluebonnetService",
        "BluebonnetTracing",
    ],
    "Sources/System": ["CCurl", "CExit", "CGdkPixbuf", "CHTTP2", "CLinux", "COpenSSL", "CPostgreSQL", "CZlib"],
    "Tests/Core": [
        "BluebonnetFaultTests", "BluebonnetHTTPTests", "BluebonnetRulesTests", "BluebonnetStreamsTests",
        "BluebonnetTests", "BluebonnetTrustTests", "EarlyOpenSSL", "ExitProbe", "SoakProbe", "TraceProbe",
    ],
    "Tests/Batches": [
        "BluebonnetBatchTests", "BluebonnetCommandTests", "BluebonnetFleetTests", "BluebonnetJournalTests",
        "BluebonnetPipelinesTests", "BluebonnetServingTests", "TortureProbe",
    ],
    "Tests/Testing": ["BluebonnetTestServerTests", "BluebonnetTestingTests", "FaultKit", "RealServers", "TestSupport"],
    "Tests/Products": [
        "BluebonnetCacheTests", "BluebonnetConfigurationTests", "BluebonnetFleetServiceTests",
        "BluebonnetHTTPTypesTests", "BluebonnetImageTests", "BluebonnetLoggingTests", "BluebonnetMetricsTests",
        "BluebonnetMonitorsTests", "BluebonnetServiceTests", "BluebonnetTracingTests", "CacheProbe",
    ],
]
for (folder, names) in parts {
    for target in package.targets where names.contains(target.name) { target.path = "\(folder)/\(target.name)" }
}

// What an older Swift cannot resolve.
#if compiler(<6.2)
    let newest: Set = ["BluebonnetConfiguration", "BluebonnetFleetService", "BluebonnetService"]
    package.products.removeAll { newest.contains($0.name) }
    package.targets.removeAll { target in
        newest.contains(target.name) || newest.contains { target.name == "\($0)Tests" }
            || target.name == "BluebonnetDocumentationTests"
    }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return location.hasSuffix("/swift-configuration") || location.hasSuffix("/swift-service-lifecycle")
    }
    package.traits = package.traits.filter { !["Service", "Configuration"].contains($0.name) }
#endif
