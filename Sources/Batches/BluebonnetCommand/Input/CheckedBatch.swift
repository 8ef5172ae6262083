// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import BluebonnetLocks
import Glibc

/// The lines of a file. All lines are checked before anything is sent.
final class CheckedBatch: Sendable {
    /// The lines, dependencies first.
    let file: BatchFile
    private let schedule: Mutex<LineSchedule?>

    /// Checks a file, beginning at its descriptor's position. The descriptor must stay open.
    ///
    /// - Parameters:
    ///   - reserved: the files that no line may write.
    ///   - rules: the fields that the options of the run permit.
    ///   - onBytes: receives the whole file, piece by piece.
    /// - Throws: all errors of the file, one line of text for each.
    init(
        _ descriptor: FileDescriptor, limits: LineSchedule.Limits, reserved: [ReservedPath] = [],
        rules: LineRules = LineRules(), onBytes: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws(CommandError) {
        do throws(BatchFileCheck.Failure) {
            let checked = try BatchFileCheck.check(
                descriptor.rawValue, limits: limits, reserved: reserved, rules: rules, onBytes: onBytes)
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

    /// Removes and returns the schedule of all lines, so that memory never contains two copies; nil after the first
    /// call.
    func removeSchedule() -> LineSchedule? { schedule.withLock { $0.take() } }
}
