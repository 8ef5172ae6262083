// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

/// Finds a Python with the modules that a test needs.
enum PythonModules {
    /// The first Python that can import the modules: the environment's (`BLUEBONNET_HTTPBIN_PYTHON`), the install
    /// script's in `.build`, or the system's.
    static func python(with modules: String, in environment: String = "httpbin-venv") -> String? {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).dropFirst().joined(separator: "/")
        let named = ProcessInfo.processInfo.environment["BLUEBONNET_HTTPBIN_PYTHON"]
        let candidates = [named, "/\(root)/.build/\(environment)/bin/python3", "python3"].compactMap { $0 }
        return candidates.first { has(modules, $0) }
    }

    private static func has(_ modules: String, _ python: String) -> Bool {
        guard let folder = try? TemporaryFolder() else { return false }
        defer { folder.remove() }
        return (try? ChildProcess.run([python, "-c", "import \(modules)"], in: folder)) != nil
    }
}
