// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetFleet

@Suite struct PostgreSQLErrorsTests {
    @Test(arguments: [
        ("42P05", "pooler=transaction"), ("26000", "pooler=transaction"), ("22P05", "ENCODING 'UTF8'"),
        ("42501", "lacks a privilege"),
        ("XX000", "the store reported an error: m"),
    ])
    func messageSaysWhatToDo(code: String, words: String) {
        let error = FleetError(serverCode: code, "m")
        #expect(error.message.contains(words) && error.message.contains("m"), "\(error)")
        #expect(error.underlying == code)
    }

    /// A standby may be the primary server later; a setting stays.
    @Test func readOnlyServerIsUnreachableUnlessASettingIsTheReason() {
        let standby = FleetError(serverCode: "25006", "m")
        #expect(standby.code == .unreachable && standby.message.contains("target_session_attrs=read-write"))
        let setting = FleetError(serverCode: "25006", "m", isReadOnlyByDefault: true)
        #expect(setting.code == .refused && setting.message.contains("default_transaction_read_only"))
    }

    @Test(arguments: ["08006", "57P01", "53300"]) func temporaryServerErrorIsUnreachable(code: String) {
        #expect(FleetError(serverCode: code, "m").code == .unreachable)
    }
}
