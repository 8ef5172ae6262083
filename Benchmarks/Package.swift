// swift-tools-version: 6.1
// Bluebonnet's benchmarks: a package of their own, so that what they need never reaches users.

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "BluebonnetBenchmarks",
    dependencies: [
        .package(name: "Bluebonnet", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        .target(name: "CurlDriver", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "HeapFigures"),
        // Code without a client and a server: statistics, reports, plots. Its tests need nothing else.
        .target(name: "Figures", swiftSettings: strict),
        // Signals, temporary folders and programs that are started, for both executables.
        .target(name: "Processes", dependencies: ["Figures"], swiftSettings: strict),
        // The cases of the comparison, and what is right: values, without clients and servers.
        .target(name: "Comparison", swiftSettings: strict),
        .target(
            name: "FaultServer",
            dependencies: [
                "Comparison", "Figures",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "LoadClients",
            dependencies: [
                "CurlDriver", "Figures", "HeapFigures",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Bluebonnet", package: "Bluebonnet"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "LoadDriver",
            dependencies: ["LoadClients", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Benchmark",
            dependencies: [
                "Figures", "HeapFigures", "LoadClients", "Processes",
                .product(name: "Bluebonnet", package: "Bluebonnet"),
                .product(name: "BluebonnetTesting", package: "Bluebonnet"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Compare",
            dependencies: [
                "Comparison", "FaultServer", "Figures", "Processes",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Bluebonnet", package: "Bluebonnet"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .testTarget(name: "ComparisonTests", dependencies: ["Comparison"], swiftSettings: strict),
        .testTarget(name: "FaultServerTests", dependencies: ["Comparison", "FaultServer"], swiftSettings: strict),
        .testTarget(name: "FiguresTests", dependencies: ["Figures"], swiftSettings: strict),
        .testTarget(
            name: "LoadClientsTests", dependencies: ["CurlDriver", "Figures", "LoadClients"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
