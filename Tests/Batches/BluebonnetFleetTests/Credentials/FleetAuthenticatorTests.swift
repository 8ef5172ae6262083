// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import BluebonnetFleet

/// A credential with a number and an expiry date.
private struct Key: Codable, Equatable, Sendable {
    let number: Int
    var expires = Date.distantFuture
}

/// Each refresh calls `onRefresh`, then returns a key with the next number.
private struct KeyMaker: Authenticator {
    let given = Observed<[Key?]>([])
    let next: Int
    var onRefresh: @Sendable () async -> Void = {}

    func apply(_ key: Key, to request: inout URLRequest) {
        request.setValue("\(key.number)", forHTTPHeaderField: "X-Key")
    }

    func expiryDate(of key: Key) -> Date? { key.expires }

    func refresh(_ key: Key?) async throws -> Key {
        given.append(key)
        await onRefresh()
        return Key(number: next + given.value.count - 1)
    }
}

extension StoreTests {
    /// Credentials that workers share through the store.
    @Suite struct FleetAuthenticatorTests {
        private typealias Store = CredentialStore<Key>

        private static func store(_ fixture: StoreFixture) -> Store { Store(store: fixture.url, name: "n") }

        private static func authenticator(_ base: KeyMaker, _ url: String) -> FleetAuthenticator<KeyMaker> {
            FleetAuthenticator(base, store: url, name: "n")
        }

        /// The key in the store, or nil.
        private static func key(_ fixture: StoreFixture) async throws -> Key? {
            let rows = try await fixture.rows("SELECT credential FROM bluebonnet.credentials WHERE name = 'n'")
            guard let text = rows.first?.first, !text.isEmpty else { return nil }
            return try JSONDecoder().decode(Key.self, from: Data(text.utf8))
        }

        /// The text of the key in the store.
        private static func text(_ fixture: StoreFixture) async throws -> String {
            try await fixture.rows("SELECT credential FROM bluebonnet.credentials WHERE name = 'n'").first?.first ?? ""
        }

        // MARK: One refresh for all

        @Test func workersWithARefusedKeyShareOneRefresh() async throws {
            let fixture = try await StoreFixture()
            let bases = (0..<4).map { KeyMaker(next: 10 * $0) }
            try await Self.store(fixture).bring(Key(number: 7), .program)
            let keys = try await withThrowingTaskGroup(of: Key.self) { group in
                for base in bases {
                    group.addTask { try await Self.authenticator(base, fixture.url).refresh(Key(number: 7)) }
                }
                return try await group.reduce(into: [Key]()) { $0.append($1) }
            }
            #expect(keys.count == 4 && Set(keys.map(\.number)).count == 1)
            #expect(bases.map(\.given.value).filter { !$0.isEmpty } == [[Key(number: 7)]])
            #expect(try await Self.key(fixture) == keys.first)
        }

        @Test func expiredKeyOfTheStoreIsRefreshed() async throws {
            let fixture = try await StoreFixture()
            let old = Key(number: 1, expires: Date(timeIntervalSince1970: 1))
            try await Self.store(fixture).bring(old, .program)
            let base = KeyMaker(next: 2)
            let key5 = try await Self.authenticator(base, fixture.url).refresh(nil)
            #expect(key5 == Key(number: 2))
            #expect(base.given.value == [old])
            let key6 = try await Self.authenticator(base, fixture.url).refresh(old)
            #expect(key6 == Key(number: 2))
            #expect(base.given.value.count == 1)
        }

        // MARK: Keys brought to the store

        @Test func refreshedKeyOverwritesOnlyTheKeyItReplaces() async throws {
            let fixture = try await StoreFixture()
            let store = Self.store(fixture)
            let (first, second, third) = (Key(number: 1), Key(number: 2), Key(number: 3))
            try await store.bring(first, .refresh(replacing: ""))
            #expect(try await Self.key(fixture) == first, "the store had no row")
            try await store.bring(second, .refresh(replacing: ""))
            #expect(try await Self.key(fixture) == first, "another worker has put one there")
            let firstText = try await Self.text(fixture)
            try await store.bring(second, .refresh(replacing: firstText))
            #expect(try await Self.key(fixture) == second)
            let secondText = try await Self.text(fixture)
            try await store.bring(third, .refresh(replacing: firstText))
            #expect(try await Self.key(fixture) == second, "the newer one stays")
            try await store.bring(nil, .program)
            #expect(try await Self.key(fixture) == nil)
            try await store.bring(third, .refresh(replacing: secondText))
            #expect(try await Self.key(fixture) == nil, "what was taken away does not come back")
            try await store.bring(third, .refresh(replacing: ""))
            #expect(try await Self.key(fixture) == third)
            try await store.bring(first, .program)
            #expect(try await Self.key(fixture) == first, "the program's counts")
        }

        /// Calls `body` with a proxy in front of the store. The store has key 1.
        private static func withProxy(_ body: (StoreFixture, FaultProxy, _ url: String) async throws -> Void)
            async throws
        {
            let fixture = try await StoreFixture()
            let proxy = try await FaultProxy.start(toPort: fixture.server.port)
            try await store(fixture).bring(Key(number: 1), .program)
            try await body(fixture, proxy, fixture.server.tcpURL(database: fixture.database, port: proxy.port))
            await proxy.stop()
        }

        @Test func keySetDuringAnOutageIsStoredAfterwards() async throws {
            try await Self.withProxy { fixture, proxy, url in
                let authenticator = Self.authenticator(KeyMaker(next: 0), url)
                await proxy.set(.refuse)
                await authenticator.credentialWasSet(Key(number: 5))
                #expect(try await Self.key(fixture) == Key(number: 1))
                await proxy.set(.forward)
                try await becomes(Key(number: 5)) { try await Self.key(fixture) }
                await proxy.set(.refuse)
                await authenticator.credentialWasSet(Key(number: 6))
                await authenticator.credentialWasSet(nil)
                await proxy.set(.forward)
                try await becomes(nil) { try await Self.key(fixture) }
            }
        }

        @Test func keySetDuringAnOutageIsReplacedByNextRefresh() async throws {
            try await Self.withProxy { fixture, proxy, url in
                let base = KeyMaker(next: 6)
                let authenticator = Self.authenticator(base, url)
                await proxy.set(.refuse)
                await authenticator.credentialWasSet(Key(number: 5))
                await #expect(throws: FleetError.self) { try await authenticator.refresh(Key(number: 5)) }
                #expect(base.given.value.isEmpty, "without the store no key is got")
                await proxy.set(.forward)
                let key1 = try await authenticator.refresh(Key(number: 5))
                #expect(key1 == Key(number: 6))
                #expect(base.given.value == [Key(number: 5)])
                #expect(try await Self.key(fixture) == Key(number: 6))
            }
        }

        @Test func keyRefreshedDuringAnOutageIsUsedAndStoredAfterwards() async throws {
            try await Self.withProxy { fixture, proxy, url in
                let base = KeyMaker(next: 2) {
                    await proxy.set(.refuse)
                    await proxy.cut()
                }
                let key7 = try await Self.authenticator(base, url).refresh(Key(number: 1))
                #expect(key7 == Key(number: 2))
                #expect(try await Self.key(fixture) == Key(number: 1))
                await proxy.set(.forward)  // the authenticator has been released
                try await becomes(Key(number: 2)) { try await Self.key(fixture) }
            }
        }

        @Test func lateKeyYieldsToAnotherWorkersKey() async throws {
            try await Self.withProxy { fixture, proxy, url in
                let base = KeyMaker(next: 2) {
                    await proxy.set(.refuse)
                    await proxy.cut()
                }
                let authenticator = Self.authenticator(base, url)
                let key2 = try await authenticator.refresh(Key(number: 1))
                #expect(key2 == Key(number: 2))
                let other = Self.authenticator(KeyMaker(next: 9), fixture.url)
                let key3 = try await other.refresh(Key(number: 1))
                #expect(key3 == Key(number: 9))
                await proxy.set(.forward)
                let key4 = try await authenticator.refresh(Key(number: 2))
                #expect(key4 == Key(number: 9))
                #expect(base.given.value.count == 1)
                #expect(try await Self.key(fixture) == Key(number: 9))
            }
        }
    }
}
