// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Renders a run's progress as lines of text. A value type that does not access the terminal.
struct ProgressRenderer {
    /// The maximum number of transfers shown, one per line.
    static let transferCount = 5

    /// The maximum width of a line, in columns.
    var width: Int

    private static let idWidth = 24
    private static let widestBar = 30
    private static let narrowestBar = 8

    /// The maximum number of blocked origins shown, one per line.
    static let heldOriginCount = 3

    /// Returns one line for the run, one for each blocked origin, and one for each transfer.
    func lines(_ reading: ProgressReading) -> [String] {
        let idWidth = reading.transfers.map { TerminalText.columns(of: TerminalText.clean($0.id)) }.max() ?? 0
        let transfers = reading.transfers.prefix(Self.transferCount).map { line($0, idWidth: idWidth) }
        let origins = reading.heldOrigins.prefix(Self.heldOriginCount).map(line)
        return [runLine(reading)] + origins + transfers
    }

    /// Returns the run's line without its bar.
    static func text(_ reading: ProgressReading) -> String {
        var parts = ["\(reading.finishedCount)/\(reading.totalCount)"]
        if let fraction = reading.fraction { parts.append(percentage(fraction)) } else { parts[0] += " so far" }
        if reading.failureCount > 0 { parts.append("\(reading.failureCount) failed") }
        if reading.waitingRetryCount > 0 { parts.append("\(reading.waitingRetryCount) to retry") }
        if let rate = reading.requestsPerSecond { parts.append(Quantity.requestsPerSecond(rate)) }
        parts.append(Quantity.bytes(reading.receivedByteCount))
        if let seconds = reading.secondsLeft {
            parts.append(Quantity.duration(seconds) + " left")
        } else {
            parts.append(Quantity.duration(reading.elapsed))
        }
        return parts.joined(separator: "  ")
    }

    private func runLine(_ reading: ProgressReading) -> String {
        line(start: "", reading.fraction, Self.text(reading))
    }

    private func line(_ paused: ProgressReading.HeldOrigin) -> String {
        let text =
            "  \(TerminalText.clean(paused.origin))  on hold for \(Quantity.duration(paused.secondsLeft.rounded(.up)))"
        let waiting = paused.waitingCount > 0 ? ", \(Quantity.count(paused.waitingCount, "request")) waiting" : ""
        return TerminalText.cut(text + waiting, to: width)
    }

    private func line(_ transfer: ProgressReading.Transfer, idWidth: Int) -> String {
        let id = TerminalText.fit(TerminalText.clean(transfer.id), to: min(idWidth, Self.idWidth))
        var parts = [Self.column(Quantity.bytes(transfer.receivedByteCount))]
        if let expected = transfer.expectedByteCount { parts[0] += " of \(Self.column(Quantity.bytes(expected)))" }
        if let fraction = transfer.fraction { parts.append(Self.percentage(fraction)) }
        if let rate = transfer.bytesPerSecond { parts.append(Quantity.bytesPerSecond(rate)) }
        return line(start: "  \(id)  ", transfer.fraction, parts.joined(separator: "  "))
    }

    /// Returns a line with a bar, if the fraction is known and there is enough space for the bar.
    private func line(start: String, _ fraction: Double?, _ text: String) -> String {
        let room = width - TerminalText.columns(of: start) - TerminalText.columns(of: text) - 1
        guard let fraction, room >= Self.narrowestBar else { return TerminalText.cut(start + text, to: width) }
        return start + Self.bar(fraction, width: min(room, Self.widestBar)) + " " + text
    }

    /// Returns a bar: `[====>     ]`.
    static func bar(_ fraction: Double, width: Int) -> String {
        let room = width - 2
        let done = Int(fraction * Double(room))
        let head = done < room ? ">" : ""
        let rest = String(repeating: " ", count: room - done - head.count)
        return "[" + String(repeating: "=", count: done) + head + rest + "]"
    }

    /// Returns a size padded to 8 columns, so that sizes in several lines are aligned. Sizes are at most as long as
    /// `999.9 kB`.
    private static func column(_ size: String) -> String {
        String(repeating: " ", count: max(0, 8 - size.count)) + size
    }

    /// Returns a percentage. It is rounded down, so that 100% is shown only at the end.
    private static func percentage(_ fraction: Double) -> String {
        let number = Int(fraction * 100)
        return String(repeating: " ", count: number < 10 ? 2 : number < 100 ? 1 : 0) + "\(number)%"
    }
}
