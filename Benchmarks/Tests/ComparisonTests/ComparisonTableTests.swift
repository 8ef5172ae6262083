// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import Testing

@Suite struct ComparisonTableTests {
    private let cut = FaultCase("cut-one", .cut, "One is cut.", [], [])
    private let hang = FaultCase("hang-one", .time, "One hangs.", [], [])

    private var results: Results {
        Results(
            versions: [.bluebonnet: "1", .curl: "8"], clients: [.bluebonnet, .curl],
            entries: [
                .init(testCase: cut, client: .bluebonnet, verdict: .passed),
                .init(testCase: hang, client: .bluebonnet, verdict: .notOffered("no clock")),
                .init(testCase: cut, client: .curl, verdict: .wrongSuccess("a|b\nat 127.0.0.1:54321")),
                .init(testCase: hang, client: .curl, verdict: .hang("no end")),
            ])
    }

    private var text: String { ComparisonTable(results).text }

    @Test func totalsAddUpForEachClient() {
        #expect(text.contains("| Bluebonnet | 1 | 2 | 1 | 0 | 0 | 0 | 0 | 1 |"))
        #expect(text.contains("| curl | 8 | 2 | 0 | 1 | 1 | 0 | 0 | 0 |"))
    }

    @Test func groupsWithCasesHaveARow() {
        #expect(text.contains("| Responses cut short | 1 | 1 passed | 1 wrong |"))
        #expect(text.contains("| Time limits | 1 | 1 not offered | 1 hung |"))
        #expect(!text.contains("Redirects"))
    }

    @Test func failuresAreListedInOneLineWithoutPorts() {
        #expect(text.contains("### Bluebonnet\n\nNothing failed.\n\nNot offered:\n\n- `hang-one`: no clock\n"))
        #expect(text.components(separatedBy: "Not offered").count == 2)
        #expect(text.contains("| `cut-one` | One is cut. | wrong success | a/b at 127.0.0.1:PORT |"))
        #expect(text.contains("| `hang-one` | One hangs. | hang | no end |"))
    }

    @Test func failuresExcludeFeaturesThatAClientDoesNotOffer() {
        #expect(results.failures(of: .bluebonnet).isEmpty)
        #expect(results.failures(of: .curl).map(\.testCase.name) == ["cut-one", "hang-one"])
    }

    @Test func pageKeepsTheTextBeforeTheResults() {
        #expect(
            ComparisonTable.page("# Page\n\n## Results\n\nold\n", with: "## Results\n\nnew\n")
                == "# Page\n\n## Results\n\nnew\n")
        #expect(ComparisonTable.page("# Page\n", with: "## Results\n") == "# Page\n\n## Results\n")
        #expect(ComparisonTable.page(nil, with: "## Results\n") == "## Results\n")
    }

    @Test func tallyCountsEachKindOnce() {
        let verdicts: [Verdict] = [
            .passed, .passed, .wrongSuccess(""), .hang(""), .crash(""), .otherFailure(""), .notOffered(""),
        ]
        let tally = Tally(verdicts)
        #expect(tally.figures == [2, 1, 1, 1, 1, 1])
        #expect(tally.count == 7)
        #expect(tally.words == "2 passed, 1 wrong, 1 hung, 1 crashed, 1 failed, 1 not offered")
        #expect(Tally([]).words == "–")
    }
}
