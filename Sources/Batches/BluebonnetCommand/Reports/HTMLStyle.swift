// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The style sheet of the HTML report: one column, for light and dark screens of any width.
enum HTMLStyle {
    static let text = """
        :root { --text: #1d2329; --dim: #5b6670; --page: #ffffff; --line: #d8dee4; --head: #f3f5f7;
          --success: #1a7f4b; --failure: #c62f2f; --unknown: #a05a00; --cancelled: #6b7680; --skipped: #8a949e; }
        @media (prefers-color-scheme: dark) {
          :root { --text: #e4e8ec; --dim: #9aa5b0; --page: #14181c; --line: #343c44; --head: #1e242a;
            --success: #4cc38a; --failure: #ff6b6b; --unknown: #e0a04a; --cancelled: #98a3ae; --skipped: #7d8791; }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
        main { max-width: 64rem; margin: 0 auto; padding: 1rem; }
        h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
        h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
        h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
        h3 small, .date, .note, figcaption, .axis { color: var(--dim); font-weight: normal; font-size: .9rem; }
        p { margin: .3rem 0; }
        .outcomes { list-style: none; display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; padding: 0; margin: 1rem 0 .5rem; }
        .outcomes b { font-size: 1.5rem; }
        .shares { display: flex; height: .6rem; border-radius: .3rem; overflow: hidden; background: var(--line); }
        .shares i { flex-basis: 0; min-width: 2px; }
        .success { color: var(--success); } .failure { color: var(--failure); } .unknown { color: var(--unknown); }
        .cancelled { color: var(--cancelled); } .skipped { color: var(--skipped); }
        i.success, i.failure, i.unknown, i.cancelled, i.skipped { background: currentColor; }
        figure { margin: 0; }
        svg { display: block; width: 100%; height: 10rem; border-bottom: 1px solid var(--line); }
        rect { fill: currentColor; }
        .axis { display: flex; justify-content: space-between; }
        .table { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: .9rem; }
        th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
        th { background: var(--head); font-weight: 600; }
        td { overflow-wrap: anywhere; min-width: 5rem; }
        .id, .url { font-family: ui-monospace, monospace; }
        .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
        """
}
