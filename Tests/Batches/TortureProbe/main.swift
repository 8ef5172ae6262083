// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Glibc

// Does one kind of work while the calls that Preload/torture.c selects fail, and prints how each request ended.
//
// usage: TortureProbe WORK BASE-URL AUTHORITY-FILE FOLDER
//
// WORK is memory, file, data, stream, lookup or batch (see Work.swift). The program prints a line for each request:
// "outcome NAME success LENGTH", or "outcome NAME failure CODE MESSAGE". Then no call fails any more, and the program
// does the same work again: "again …". The last line is "end".
let arguments = CommandLine.arguments
guard arguments.count == 5, let kind = Work.Kind(rawValue: arguments[1]) else {
    print("usage: TortureProbe WORK BASE-URL AUTHORITY-FILE FOLDER")
    exit(2)
}
alarm(60)  // kills a program that does not end
let work = Work(
    kind: kind, baseURL: arguments[2], authorityFile: arguments[3], folder: URL(fileURLWithPath: arguments[4]))
let torture = Torture()
torture.begin()
for line in await work.run(whenEnded: { torture.end() }) { print("outcome \(line)") }
for line in await work.run() { print("again \(line)") }
print("end")
