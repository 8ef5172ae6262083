// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The style sheet of the status page: one column of cards on a phone, more on wide screens, light and dark.
enum StatusPageStyle {
    static let text = """
        :root { --text: #1d2329; --dim: #56616b; --page: #ffffff; --card: #f5f7f9; --line: #cfd6dd; --link: #1558b0;
          --success: #1a7f4b; --failure: #c62f2f; --unknown: #a05a00; --cancelled: #66717b; --skipped: #5d6771;
          --claimed: #2a62b8; --warn: #a05a00; }
        @media (prefers-color-scheme: dark) {
          :root { --text: #e4e8ec; --dim: #a3aeb9; --page: #14181c; --card: #1d2329; --line: #3d4751; --link: #82b4ff;
            --success: #4cc38a; --failure: #ff7b7b; --unknown: #e0a04a; --cancelled: #98a3ae; --skipped: #8b95a0;
            --claimed: #5b9bf5; --warn: #e0a04a; }
        }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
        header, main { max-width: 72rem; margin: 0 auto; padding: 0 1rem; }
        header { padding-top: 1rem; }
        main { padding-bottom: 2rem; }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
        h2 { font-size: 1.15rem; margin: 1.75rem 0 .5rem; }
        h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
        p { margin: .25rem 0; overflow-wrap: anywhere; }
        a { color: var(--link); }
        a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
        h1:focus { outline: none; }
        #back { margin: 0 0 .5rem; }
        #back a { display: inline-block; padding: .25rem 0; }
        #connection, .note, .facts { color: var(--dim); font-size: .9rem; }
        #connection.bad, .warn { color: var(--warn); font-weight: 600; }
        ul { list-style: none; margin: 0; padding: 0; }
        .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: .75rem; }
        .cards > li, .rows > li, .graph > li { background: var(--card); border: 1px solid var(--line);
          border-radius: .5rem; padding: .65rem .8rem; min-width: 0; }
        .rows > li { margin-bottom: .5rem; }
        .graph { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: .75rem; }
        .one #batches .cards { grid-template-columns: 1fr; }
        .head { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .1rem .75rem; align-items: baseline; }
        .head > h3 { min-width: 0; }
        .head > :last-child { flex: none; }
        .tag { border: 1px solid currentColor; border-radius: 1rem; padding: 0 .55rem; font-size: .8rem; color: var(--dim); }
        .tag.warn { color: var(--warn); } .tag.complete { color: var(--success); } .tag.paused { color: var(--warn); } .tag.cancelled { color: var(--failure); }
        .bar { display: flex; height: .7rem; margin: .45rem 0; border-radius: .35rem; overflow: hidden;
          background: var(--line); }
        .bar i { flex: 0 0 0%; }
        .success { color: var(--success); } .failure { color: var(--failure); } .unknown { color: var(--unknown); }
        .cancelled { color: var(--cancelled); } .skipped { color: var(--skipped); } .claimed { color: var(--claimed); }
        .bar i { background: currentColor; }
        .numbers { font-variant-numeric: tabular-nums; }
        .outcomes { display: flex; flex-wrap: wrap; gap: 0 .9rem; font-size: .9rem; font-variant-numeric: tabular-nums; }
        .outcomes span::before { content: ""; display: inline-block; width: .6rem; height: .6rem; margin-right: .3rem;
          border-radius: 50%; background: currentColor; }
        code { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere; }
        summary { cursor: pointer; padding: .2rem 0; }
        details ul { margin: .25rem 0 .25rem 1.1rem; }
        details li { padding: .15rem 0; overflow-wrap: anywhere; }
        .graph ul { margin-left: .6rem; border-left: 2px solid var(--line); }
        .graph ul li { padding-left: 1rem; position: relative; overflow-wrap: anywhere; }
        .graph ul li::before { content: ""; position: absolute; left: 0; top: .8rem; width: .7rem;
          border-top: 2px solid var(--line); }
        @media (forced-colors: active) { .bar { border: 1px solid; } .bar i { forced-color-adjust: none; } }
        """
}
