// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a run is given: all of its lines, or a stream of them.
enum RunInput {
    case batch(CheckedBatch)
    case stream(StreamReader)

    /// - Throws: everything that is wrong with the lines of a file; those of a stream are not looked at yet.
    init(_ source: InputSource, control: StopControl) throws(CommandError) {
        switch source {
        case .file(let data): self = .batch(try CheckedBatch(file: data))
        case .stream(let input):
            do throws(SystemError) {
                self = .stream(try StreamReader(input, control: control))
            } catch {
                throw .unusable("cannot read the request lines: \(error)")
            }
        }
    }
}
