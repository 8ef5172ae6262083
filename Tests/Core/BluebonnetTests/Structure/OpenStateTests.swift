// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@Suite(.timeLimit(.minutes(1))) struct OpenStateTests {
    /// Variables that other files can write weaken a class's encapsulation.
    @Test func classHasAtMostFiveOpenVariables() {
        var open: [String: [String]] = [:]
        for file in StyleTests.sources where file.lines.contains(where: { $0.contains("class ") }) {
            for (name, variables) in OpenState(file.lines.joined(separator: "\n")).variables {
                open[name, default: []] += variables
            }
        }
        #expect(open.filter { $0.value.count > 5 } == [:])
        #expect(open["CurlTransfer"]?.contains("machine") == true, "the search finds what is there")
    }

    @Test func storedVariableWithoutPrivateSetterIsOpen() {
        let state = OpenState(
            """
            final class Open {
                var first = 1  // var comment
                private var second = 2
                private(set) var third = 3
                weak var fourth: Open?
                static var fifth = 5
                let sixth = 6
                var seventh: Int { 7 }
                var eighth = 8 { didSet { first = 1 } }
                @exclusivity(unchecked) var ninth: [Int] = []
                func change() {
                    var local = 1
                }
                struct Inner { var value = 1 }
                var tenth: () -> Void = {}
            }
            struct Value { var free = 1 }
            """)
        #expect(state.variables == ["Open": ["first", "fourth", "eighth", "ninth", "tenth"]])
    }
}
