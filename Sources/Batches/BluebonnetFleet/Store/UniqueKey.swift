// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A key of which the store has one batch at most. Runs in the transaction of a submission; an index of the store holds
/// the rule.
struct UniqueKey {
    /// The most bytes of a key: PostgreSQL's index has a limit of 2,704 bytes for each.
    private static let longestKey = 1_000

    let key: String
    let connection: PostgreSQLConnection

    /// Checks the key, and takes it back from a batch that has ended and was kept for its time.
    func prepare() throws(FleetError) {
        guard !key.isEmpty, key.utf8.count <= Self.longestKey, !key.utf8.contains(0) else {
            throw FleetError(.notPossible, "a unique key has 1 to \(Self.longestKey) bytes, and no NUL byte")
        }
        let found = try connection.query(
            "SELECT number FROM bluebonnet.batches WHERE unique_key = $1", [.text(key)])
        guard found.count == 1 else { return }
        try BatchCompletion.record([found.integer(0, 0)], connection)
        try connection.query(
            """
            UPDATE bluebonnet.batches SET unique_key = NULL
            WHERE unique_key = $1 AND completed + coalesce(keep, 0) * interval '1 second' <= clock_timestamp()
            """, [.text(key)])
    }

    /// Returns the name of the batch with the key; nil if no batch has it.
    func owner() throws(FleetError) -> String? {
        let found = try connection.query(
            "SELECT name FROM bluebonnet.batches WHERE unique_key = $1", [.text(key)])
        return found.count == 1 ? found.text(0, 0) : nil
    }
}
