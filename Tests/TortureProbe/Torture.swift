// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CArena
import Glibc

/// The switch of the library that lets calls fail, where it is loaded.
struct Torture: Sendable {
    private typealias Function = @convention(c) () -> Void
    private typealias CountFunction = @convention(c) (UnsafeRawPointer) -> Void

    private func symbol<Type>(_ name: String, as type: Type.Type) -> Type? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }

    /// Calls fail from now on. What libcurl takes by way of the library's arena counts as libcurl's own.
    func begin() {
        if let count = symbol("torture_count_function", as: CountFunction.self) {
            let malloc: @convention(c) (Int) -> UnsafeMutableRawPointer? = bluebonnet_malloc
            let calloc: @convention(c) (Int, Int) -> UnsafeMutableRawPointer? = bluebonnet_calloc
            let realloc: @convention(c) (UnsafeMutableRawPointer?, Int) -> UnsafeMutableRawPointer? = bluebonnet_realloc
            count(unsafeBitCast(malloc, to: UnsafeRawPointer.self))
            count(unsafeBitCast(calloc, to: UnsafeRawPointer.self))
            count(unsafeBitCast(realloc, to: UnsafeRawPointer.self))
        }
        symbol("torture_arm", as: Function.self)?()
    }

    /// Nothing fails any more.
    func end() { symbol("torture_disarm", as: Function.self)?() }
}
