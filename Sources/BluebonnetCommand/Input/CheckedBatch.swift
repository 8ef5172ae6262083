// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Foundation

/// The lines of a file, all of which were found to be right before anything is sent.
struct CheckedBatch {
    /// The lines, each after those that it waits for.
    let nodes: [RequestLineGraph.Node]

    /// The ids whose results other lines use.
    var referencedIDs: Set<String> { Set(nodes.flatMap(\.dependencies)) }

    /// - Throws: everything that is wrong, a line of text for each.
    init(file: Data) throws(CommandError) {
        do throws(RequestLineErrors) {
            nodes = try RequestLineGraph(try RequestLineParser().parse(file: file)).nodesInDependencyOrder
        } catch {
            throw .badLines(error.errors)
        }
    }
}
