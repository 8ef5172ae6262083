// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import CLinux
internal import Glibc

extension CurlPartition {
    /// This machine has lost some addresses: nothing comes back to connections from them any more. Transfers over them
    /// end now, not when a limit has passed, and libcurl finds the idle ones closed when it wants to use them again.
    func dropConnections(from lost: Set<IPAddress>) {
        drainMessages()  // what is over has lost nothing
        let orphans = active.filter { $0.handle.localAddress.map(lost.contains) ?? false }
        for socket in connections where Self.localAddress(of: socket).map({ lost.contains($0.withoutZone) }) ?? false {
            shutdown(socket, CInt(SHUT_RDWR))
        }
        for transfer in orphans {
            transfer.fail(
                NetworkingError(
                    .connectionLost,
                    "this machine has lost the address that it was connected to \(transfer.hostName) from"))
        }
    }

    private static func localAddress(of socket: curl_socket_t) -> IPAddress? {
        var port: UInt16 = 0
        return IPAddress(bluebonnet_local_address(socket, &port))
    }
}

extension EasyHandle {
    /// The address that the connection in use was made from; nil while there is none.
    fileprivate var localAddress: IPAddress? {
        var text: UnsafeMutablePointer<CChar>?
        guard bluebonnet_easy_getinfo_string(raw, CURLINFO_LOCAL_IP, &text) == CURLE_OK, let text else { return nil }
        return IPAddress(String(cString: text))
    }
}
