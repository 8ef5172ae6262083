// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import BluebonnetLocks
import Glibc

/// The lines of a file, all of which were found to be right before anything is sent.
final class CheckedBatch: Sendable {
    /// The lines, each after those that it waits for.
    let file: BatchFile
    private let schedule: Mutex<LineSchedule?>

    /// Checks a file from its descriptor's position on. The descriptor must stay open.
    ///
    /// - Parameters:
    ///   - reserved: files that no line may write.
    ///   - onBytes: is given the whole file, piece by piece.
    /// - Throws: everything that is wrong, a line of text for each.
    init(
        _ descriptor: FileDescriptor, limits: LineSchedule.Limits, reserved: [ReservedPath] = [],
        onBytes: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws(CommandError) {
        do throws(BatchFileCheck.Failure) {
            let checked = try BatchFileCheck.check(
                descriptor.rawValue, limits: limits, reserved: reserved, onBytes: onBytes)
            file = checked.file
            schedule = Mutex(checked.schedule)
        } catch {
            switch error {
            case .badLines(let errors): throw .badLines(errors.errors)
            case .unreadable(let number):
                throw .unusable("cannot read the request lines: \(SystemError(code: number))")
            }
        }
    }

    /// Gives the schedule of all lines away, of which there should not be two in memory; nil when that was done.
    func takeSchedule() -> LineSchedule? { schedule.withLock { $0.take() } }
}
