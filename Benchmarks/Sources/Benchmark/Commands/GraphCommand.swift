// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Figures

/// Measures dependencies at scale: chains and fans of pending operations, and Foundation's queue in the same run.
struct GraphCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract: "Chains and fan-ins of up to 100,000 pending operations, beside Foundation's OperationQueue.",
        discussion: """
            Operations run over a transport in memory that answers at once, Foundation's as empty blocks: building, \
            adding, running and releasing are all part of the time. The two take turns in each round; figures are medians \
            (least–most) and the median of the CPU time. Foundation's chains are quadratic and crash when \
            a long one is released, so they are kept short. Memory is what malloc has handed out, with and without the \
            requests, which are the caller's. What a dependency costs is the difference to the independent operations; the \
            CPU time counts when other programs run. Random graphs are a test: see RandomGraphTests.
            """)

    @Option(parsing: .upToNextOption, help: "How many operations.")
    var sizes = [1_000, 10_000, 100_000]

    @Option(parsing: .upToNextOption, help: "Which graphs: independent, chain, fanIn.")
    var shapes = GraphShape.allCases

    @Option(help: "The longest chain for Foundation's queue.")
    var foundationChain = 4_000

    @Option(help: "How often each is measured.")
    var rounds = 3

    @Flag(inversion: .prefixedNo, help: "Whether memory and cancelling are measured too.")
    var waiting = true

    func validate() throws {
        guard rounds > 0, sizes.allSatisfy({ $0 > 1 }) else {
            throw ValidationError("--rounds has to be at least 1, and --sizes at least 2.")
        }
    }

    func run() throws {
        var rows = [["shape", "operations", "Bluebonnet µs each", "Foundation µs each"]]
        for shape in shapes {
            for size in sizes {
                let foundationSize = shape == .chain ? min(size, foundationChain) : min(size, 10_000)
                let costs = try (0..<rounds).map { _ in
                    let foundation = try GraphCase.runFoundation(shape, size: foundationSize)
                    return (ours: try GraphCase.runBluebonnet(shape, size: size), foundation: foundation)
                }
                let note = foundationSize == size ? "" : " for \(foundationSize)"
                rows.append([
                    "\(shape)", "\(size)", CostSpread(costs.map(\.ours)).text,
                    CostSpread(costs.map(\.foundation)).text + note,
                ])
            }
        }
        print(TextTable(rows: rows).lines.joined(separator: "\n"))
        guard waiting else { return }
        let memory = try GraphCase.memory(size: sizes.max() ?? 0)
        let cancelling = CostSpread(try (0..<rounds).map { _ in try GraphCase.cancelAll(size: sizes.max() ?? 0) })
        print("waiting in a chain: \(memory.own) bytes an operation, \(memory.withRequest) with a request of its own")
        print("cancelling \(sizes.max() ?? 0), ms: \(cancelling.text)")
    }
}

extension GraphShape: ExpressibleByArgument {}
