// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// Counts the open connections of each server, active and idle.
struct ConnectionCounts {
    struct Place: Hashable {
        var server: ServerAddress
        var isIdle: Bool
    }

    private var places = MonitorTable<Place>()
    private var counts: [Place: Int] = [:]
    private var changed: Set<Place> = []

    var count: Int { places.count }

    /// Counts a connection as active. It may be unknown, if it was opened before there was a monitor.
    mutating func acquire(
        _ connection: RequestEvent.ConnectionInformation, server: ServerAddress?, at instant: UInt64
    ) {
        move(connection.number, server, isIdle: false, at: instant)
    }

    /// Counts a connection as idle.
    mutating func release(
        _ connection: RequestEvent.ConnectionInformation, server: ServerAddress?, at instant: UInt64
    ) {
        move(connection.number, server, isIdle: true, at: instant)
    }

    /// Removes a connection, and returns its server; nil if the connection is unknown.
    mutating func close(_ connection: RequestEvent.ConnectionInformation) -> ServerAddress? {
        guard let place = places.remove(connection.number) else { return nil }
        count(place, by: -1)
        return place.server
    }

    mutating func recordDrop(at instant: UInt64) { places.recordDrop(at: instant) }

    mutating func removeStale(at instant: UInt64) {
        for place in places.removeStale(at: instant) { count(place, by: -1) }
    }

    /// Returns the counts that have changed since the last call.
    mutating func consumeChanges() -> [(Place, Int)] {
        defer { changed = [] }
        return changed.map { ($0, counts[$0] ?? 0) }
    }

    private mutating func move(_ number: Int, _ server: ServerAddress?, isIdle: Bool, at instant: UInt64) {
        let known = places[number]
        guard let server = known?.server ?? server else { return }
        let place = Place(server: server, isIdle: isIdle)
        places.update(number, at: instant, default: place) { $0 = place }
        guard known != place else { return }
        if let known { count(known, by: -1) }
        count(place, by: 1)
    }

    private mutating func count(_ place: Place, by step: Int) {
        let count = counts[place, default: 0] + step
        counts[place] = count == 0 ? nil : count
        changed.insert(place)
    }
}
