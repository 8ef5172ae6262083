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
        .package(name: "Bluebonnet", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "CurlDriver", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "HeapFigures"),
        .executableTarget(
            name: "Benchmark",
            dependencies: [
                "CurlDriver", "HeapFigures",
                .product(name: "Bluebonnet", package: "Bluebonnet"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
