// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

/// Finds a Python with the modules that a test needs.
enum PythonModules {
    /// Returns the first Python that can import the modules, in this order: the variable `BLUEBONNET_HTTPBIN_PYTHON`,
    /// the virtual environment that the install script makes in `.build`, the system's Python.
    static func python(with modules: String, in virtualEnvironment: String = "httpbin-venv") -> String? {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).dropFirst().joined(separator: "/")
        let named = ProcessInfo.processInfo.environment["BLUEBONNET_HTTPBIN_PYTHON"]
        let candidates = [named, "/\(root)/.build/\(virtualEnvironment)/bin/python3", "python3"].compactMap { $0 }
        return candidates.first { canImport(modules, $0) }
    }

    private static func canImport(_ modules: String, _ python: String) -> Bool {
        guard let folder = try? TemporaryFolder() else { return false }
        defer { folder.remove() }
        return (try? ChildProcess.run([python, "-c", "import \(modules)"], in: folder)) != nil
    }
}
