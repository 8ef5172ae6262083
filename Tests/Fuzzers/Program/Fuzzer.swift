// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FuzzTargets

#if BLUEBONNET_FUZZING
    /// The target that this process runs. An environment variable names it, because libFuzzer uses the arguments.
    private let target: FuzzTarget = {
        let name = ProcessInfo.processInfo.environment["BLUEBONNET_FUZZ_TARGET"] ?? ""
        guard let target = FuzzTarget.named(name) else { fatalError("there is no fuzz target \"\(name)\"") }
        return target
    }()

    /// libFuzzer, which provides `main`, calls this function with each input.
    @_cdecl("LLVMFuzzerTestOneInput")
    public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        do {
            try target.run(Array(UnsafeBufferPointer(start: start, count: count)))
        } catch {
            fatalError("finding of \(target.name): \(error)")
        }
        return 0
    }
#else
    /// Runs a target with files, in builds without libFuzzer: `Fuzzer TARGET FILE…`. Without arguments, lists the
    /// targets.
    @main struct Fuzzer {
        static func main() throws {
            let arguments = CommandLine.arguments.dropFirst()
            guard let name = arguments.first else {
                for target in FuzzTarget.all { print(target.name) }
                return
            }
            guard let target = FuzzTarget.named(name) else {
                FileHandle.standardError.write(Data("there is no fuzz target \(name)\n".utf8))
                exit(2)
            }
            for path in arguments.dropFirst() {
                try target.run(Array(try Data(contentsOf: URL(fileURLWithPath: path))))
                print("\(path): nothing found")
            }
        }
    }
#endif
