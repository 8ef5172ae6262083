// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
public import Foundation

extension Fleet {
    /// The outcomes of failed lines.
    private static let failures: [ResultLine.Outcome] = [.failure, .unknown]

    /// Groups the failures of a batch: lines that failed, and lines with an unknown outcome. All their results are
    /// read.
    ///
    /// - Parameters:
    ///   - name: the batch's name.
    ///   - fields: what the failures of a group have in common. Default the error code.
    ///   - condition: the failures to group. Default nil: all.
    ///   - sampleLimit: the maximum number of samples in a group. Default 3.
    /// - Returns: the groups, the largest one first.
    /// - Throws: `FleetError`, `noBatch` if no batch has the name.
    public func failures(
        of name: String, by fields: Set<FailureGroup.Field> = [.code], where condition: ResultCondition? = nil,
        sampleLimit: Int = 3
    ) async throws(FleetError) -> [FailureGroup] {
        try await StoreThread.run(store) { connection throws(FleetError) in
            try FleetSchema.check(connection)
            let reading = FailureReading(connection: connection, outcomes: Self.failures, condition: condition)
            var groups = FailureGroups(sampleLimit: sampleLimit)
            try reading.forEachPage(of: try reading.number(of: name)) { results throws(FleetError) in
                for result in results { try groups.add(result, by: fields) }
            }
            return groups.groups
        }
    }

    /// Returns the result lines of a batch's failures, without line breaks, in the order of the lines. The sequence
    /// ends with the failures that are in the store.
    ///
    /// The sequence throws `FleetError`, `noBatch` if no batch has the name.
    ///
    /// - Parameters:
    ///   - name: the batch's name.
    ///   - condition: the failures to return. Default nil: all.
    public func failedResults(
        of name: String, where condition: ResultCondition? = nil
    ) -> AsyncThrowingStream<Data, any Error> {
        let reader = FailureReader(KeptConnection(store), name, Self.failures, condition)
        return AsyncThrowingStream { try await reader.next() }
    }
}

/// Reads the failures of a batch page by page, over one connection.
private actor FailureReader {
    private let connection: KeptConnection
    private let name: String
    private let outcomes: [ResultLine.Outcome]
    private let condition: ResultCondition?
    private var batch: Int?
    private var position: Int? = -1
    private var lines: ArraySlice<Data> = []

    init(
        _ connection: KeptConnection, _ name: String, _ outcomes: [ResultLine.Outcome], _ condition: ResultCondition?
    ) {
        (self.connection, self.name, self.outcomes, self.condition) = (connection, name, outcomes, condition)
    }

    func next() async throws -> Data? {
        while lines.isEmpty, let last = position {
            let (known, name, outcomes, condition) = (batch, name, outcomes, condition)
            let page = try await connection.run { connection throws(FleetError) in
                try FleetSchema.check(connection)
                let reading = FailureReading(connection: connection, outcomes: outcomes, condition: condition)
                let batch = if let known { known } else { try reading.number(of: name) }
                let page = try reading.page(of: batch, after: last)
                return (batch: batch, lines: page.results.map(\.line), last: page.last)
            }
            (batch, position, lines) = (page.batch, page.last, page.lines[...])
        }
        return lines.popFirst()
    }
}
