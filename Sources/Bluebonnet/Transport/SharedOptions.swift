// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Transfer options as operations hold them: one object for all operations that were given the same ones. Immutable.
final class SharedOptions: Sendable {
    let value: TransferOptions
    /// What the options say of trust, put together once.
    let identity: SharedIdentity

    init(_ value: TransferOptions) {
        self.value = value
        identity = SharedIdentity(value.identity)
    }
}

/// A trust identity as transfers hold it: two are compared part by part only when they are not the same object.
final class SharedIdentity: Sendable {
    static let plain = SharedIdentity(TrustIdentity())

    let value: TrustIdentity

    init(_ value: TrustIdentity) { self.value = value }
}
