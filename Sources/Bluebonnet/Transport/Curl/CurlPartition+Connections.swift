// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Glibc

extension CurlPartition {
    /// Lets the partition hear of the sockets that are opened and closed for a handle's connections, which may outlive
    /// the handle.
    func watchConnections(of handle: EasyHandle) throws(CurlError) {
        let context = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        try handle.set(CURLOPT_SOCKOPTDATA, pointer: context)
        try handle.set(CURLOPT_CLOSESOCKETDATA, pointer: context)
        try bluebonnet_easy_setopt_sockopt_callback(handle.raw, connectionOpened).check()
        try bluebonnet_easy_setopt_closesocket_callback(handle.raw, connectionClosed).check()
    }

    /// libcurl before 8.2 closes a socket that never got connected without saying so: what was known of its number is
    /// about another one. A child process is not to hold the connection.
    fileprivate func noteConnection(_ descriptor: curl_socket_t) {
        loop.forget(descriptor)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        connections.insert(descriptor)
    }

    fileprivate func closeConnection(_ descriptor: curl_socket_t) -> CInt {
        connections.remove(descriptor)
        closedSockets.append(descriptor)
        corkedWrites.forget(descriptor)
        loop.forget(descriptor)
        return Glibc.close(descriptor)
    }

    /// Whether a socket was closed since transfers were last ended; any socket, when it is not known which.
    func hasClosedConnection(_ descriptor: curl_socket_t?) -> Bool {
        guard let descriptor else { return !closedSockets.isEmpty }
        return closedSockets.contains(descriptor)
    }

    /// Whether the server has closed an open connection. libcurl 7.88 keeps one whose end arrives behind the end of a
    /// stream, and forgets the error of a stream that was reset.
    func isAtEnd(_ descriptor: curl_socket_t?) -> Bool {
        guard let descriptor else { return false }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) == 0
    }

    /// A request is about to be written to a connection that others use too.
    func sharedRequestIsWritten(over endpoints: ConnectionEndpoints) {
        guard Tuning.current.contains(.corkedWrites), let socket = connections.descriptor(of: endpoints) else { return }
        corkedWrites.requestIsWritten(to: socket)
    }
}

private func connectionOpened(
    _ context: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t, _: curlsocktype
) -> CInt {
    guard let context else { return CInt(CURL_SOCKOPT_ERROR) }
    Unmanaged<CurlPartition>.fromOpaque(context).takeUnretainedValue().noteConnection(descriptor)
    return CInt(CURL_SOCKOPT_OK)
}

private func connectionClosed(_ context: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t) -> CInt {
    guard let context else { return -1 }
    return Unmanaged<CurlPartition>.fromOpaque(context).takeUnretainedValue().closeConnection(descriptor)
}
