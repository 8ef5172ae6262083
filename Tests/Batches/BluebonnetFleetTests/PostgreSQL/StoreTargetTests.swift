// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetFleet

/// Invalid connection strings are refused, and no part of a password is shown.
@Suite struct StoreTargetTests {
    /// Each has the password `hunter`, followed by characters that need escaping or quoting.
    private static let wrong = [
        "postgresql://user:hunter@2secret@db.example.com/fleet",
        "postgresql://user:hunter/2secret@db.example.com/fleet",
        "postgresql://user:hunter?2secret=@db@example.com/fleet", "postgresql://user:hunter/2secret",
        "postgresql://user:hunter%2secret@db.example.com/fleet", "postgresql://user:hunter%zz2secret@db.example.com/",
        "postgresql://user@db.example.com/fleet?password=hunter&2secret", "postgres://db.example.com/?hunter=2secret",
        "postgresql://user@db.example.com/fleet?password=hunter=2secret",
        "postgresql://user@host/fleet?password=%00hunter2secret", "host=db password=hunter 2secret",
        "host=db password=hunter 2secret=1 user=x", "host=db password='hunter2secret", "password=hunter \"2secret\" x",
        "host=db port=hunter2secret", "host=db port=5432,hunter2secret",
    ]

    @Test(arguments: wrong) func invalidStringIsRefusedWithoutBeingShown(target: String) {
        let error = #expect(throws: FleetError.self) { try StoreTarget.check(target) }
        #expect(error?.code == .refused)
        let text = error?.description ?? ""
        #expect(text.hasPrefix("the store's connection string cannot be used: "), "\(text)")
        #expect(!text.contains("hunter") && !text.contains("secret"), "\(text)")
    }

    @Test(arguments: [
        "postgresql://user:hunter%402%2Fsecret@db.example.com/fleet", "postgresql://user:p?ss@db/fleet?sslmode=require",
        "postgresql://a@h1:1,h2:2/d?target_session_attrs=any", "postgresql:///fleet?host=@socket&user=a@b",
        "postgresql://user@[::1]:5432/d", "host=db port=5432 password='a b@/?'", "service=fleet", "fleet",
        "postgres://", "",
    ])
    func validStringIsLeftToLibpq(target: String) throws { try StoreTarget.check(target) }

    @Test(arguments: [
        (#"missing "=" after "a" in connection info string"#, #"missing "…" in connection info string"#),
        (#"invalid connection option "a"b""# + "\n", #"invalid connection option "…""#),
        (
            "unterminated quoted string in connection info string",
            "unterminated quoted string in connection info string"
        ),
        (#"one " only"#, #"one " only"#),
    ])
    func quotedTextIsLeftOut(message: String, text: String) {
        #expect(StoreTarget.withoutQuotations(message) == text)
    }
}

extension StoreTargetTests {
    @Test(arguments: [
        ("postgresql://a@h/d?pooler=transaction", "postgresql://a@h/d", PoolerMode.transaction),
        ("postgresql://a@h/d?sslmode=require&pooler=session", "postgresql://a@h/d?sslmode=require", .session),
        ("postgresql://a@h/d?pooler=session&x=y", "postgresql://a@h/d?x=y", .session),
        ("postgresql://a@h/d?x=pooler=session", "postgresql://a@h/d?x=pooler=session", .detected),
        ("host=h pooler=transaction dbname=d", "host=h dbname=d", .transaction),
        ("host=h pooler = 'session'", "host=h", .session), ("host=h", "host=h", .detected),
        ("fleet", "fleet", .detected),
    ])
    func poolerIsReadFromTheConnectionString(target: String, rest: String, mode: PoolerMode) throws {
        let found = try StoreTarget.poolerMode(of: target)
        #expect(found.target == rest && found.mode == mode)
    }

    @Test func unknownPoolerIsRefused() throws {
        let error = #expect(throws: FleetError.self) {
            _ = try StoreTarget.poolerMode(of: "postgresql://h/d?pooler=yes")
        }
        #expect(error?.code == .refused && error?.message.contains("transaction or session") == true)
    }
}
