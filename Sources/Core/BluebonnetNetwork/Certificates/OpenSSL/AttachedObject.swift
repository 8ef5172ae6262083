// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Attaches a Swift object to an `SSL_CTX` or an `SSL`. Freeing the `SSL_CTX` or the `SSL` releases the object. Each
/// kind of object has its own slot. Network thread only.
struct AttachedObject<Object: AnyObject>: Sendable {
    enum Owner { case context, connection }

    private let owner: Owner
    private let index: CInt

    init(to owner: Owner) {
        self.owner = owner
        switch owner {
        case .context: index = bluebonnet_context_index(releaseCallback)
        case .connection: index = bluebonnet_connection_index(releaseCallback)
        }
    }

    /// Replaces the attached object. Returns false if OpenSSL does not accept the object.
    func attach(_ object: Object, to pointer: OpaquePointer) -> Bool {
        guard index >= 0 else { return false }
        let (old, new) = (stored(on: pointer), Unmanaged.passRetained(object))
        guard store(new.toOpaque(), on: pointer) else {
            new.release()
            return false
        }
        release(old)
        return true
    }

    /// Returns the attached object.
    func object(on pointer: OpaquePointer) -> Object? {
        stored(on: pointer).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
    }

    private func stored(on pointer: OpaquePointer) -> UnsafeMutableRawPointer? {
        switch owner {
        case .context: SSL_CTX_get_ex_data(pointer, index)
        case .connection: SSL_get_ex_data(pointer, index)
        }
    }

    private func store(_ object: UnsafeMutableRawPointer, on pointer: OpaquePointer) -> Bool {
        switch owner {
        case .context: SSL_CTX_set_ex_data(pointer, index, object) == 1
        case .connection: SSL_set_ex_data(pointer, index, object) == 1
        }
    }
}

private func release(_ object: UnsafeMutableRawPointer?) {
    if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
}

private func releaseCallback(
    _: UnsafeMutableRawPointer?, _ object: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<CRYPTO_EX_DATA>?,
    _: CInt, _: Int, _: UnsafeMutableRawPointer?
) {
    release(object)
}
