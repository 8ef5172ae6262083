// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The easy handles of a partition that wait for their next transfer. Network thread only.
struct HandlePool {
    private static let limit = 128
    private var idle: [EasyHandle] = []

    mutating func take(forJar usesJar: Bool) -> EasyHandle {
        guard let handle = idle.popLast() else { return EasyHandle() }
        guard usesJar && handle.hasNamedHost else { return handle }
        handle.close()
        return EasyHandle()
    }

    /// Takes back a handle that is off the multi handle.
    mutating func recycle(_ handle: EasyHandle) {
        guard handle.isReusable, idle.count < Self.limit, Tuning.current.contains(.reusedHandles) else {
            return handle.close()
        }
        handle.prepareForReuse()
        idle.append(handle)
    }

    mutating func close() {
        for handle in idle { handle.close() }
        idle = []
    }
}
