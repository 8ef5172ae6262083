// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Hangs a Swift object on an `SSL_CTX` or `SSL`, which lets it go when it is freed itself. Network thread only.
enum AttachedObject {
    private static let contextIndex = bluebonnet_context_index { _, object, _, _, _, _ in drop(object) }
    private static let connectionIndex = bluebonnet_connection_index { _, object, _, _, _, _ in drop(object) }

    /// Replaces what hangs there.
    static func attach(_ object: AnyObject, toContext context: OpaquePointer) {
        drop(SSL_CTX_get_ex_data(context, contextIndex))
        SSL_CTX_set_ex_data(context, contextIndex, Unmanaged.passRetained(object).toOpaque())
    }

    static func of<Object: AnyObject>(context: OpaquePointer?, as type: Object.Type) -> Object? {
        recover(SSL_CTX_get_ex_data(context, contextIndex), as: type)
    }

    static func attach(_ object: AnyObject, toConnection connection: OpaquePointer) {
        drop(SSL_get_ex_data(connection, connectionIndex))
        SSL_set_ex_data(connection, connectionIndex, Unmanaged.passRetained(object).toOpaque())
    }

    static func of<Object: AnyObject>(connection: OpaquePointer?, as type: Object.Type) -> Object? {
        recover(SSL_get_ex_data(connection, connectionIndex), as: type)
    }

    private static func recover<Object: AnyObject>(_ pointer: UnsafeMutableRawPointer?, as: Object.Type) -> Object? {
        pointer.flatMap { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? Object }
    }

    private static func drop(_ pointer: UnsafeMutableRawPointer?) {
        if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
    }
}
