// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// All event monitors of the process.
public enum EventMonitors {
    /// Returns when the monitors have received every event that has happened before the call: before a program ends,
    /// and in tests.
    ///
    /// Any thread, except in `EventMonitor.receive(_:)`.
    public static func flush() async { await EventChannels.flush() }
}
