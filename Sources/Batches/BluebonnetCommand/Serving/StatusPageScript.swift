// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The script of the status page. It sets texts and never interprets data as HTML. Elements stay while their data
/// changes, so that the keyboard's focus and a screen reader's place stay, too.
enum StatusPageScript {
    static let text = #"""
        "use strict";
        const $ = id => document.getElementById(id);
        const outcomes = [["success", "succeeded"], ["failure", "failed"], ["unknown", "unknown"],
          ["cancelled", "cancelled"], ["skipped", "skipped"]];
        const number = n => new Intl.NumberFormat("en").format(n);
        const count = (n, word) => number(n) + " " + word + (n === 1 ? "" : "s");
        const limited = n => n > 1000 ? "more than 1,000" : number(n);

        function duration(seconds) {
          const s = Math.max(0, Math.round(seconds));
          if (s < 60) return s + " s";
          if (s < 3600) return Math.floor(s / 60) + " min " + (s % 60) + " s";
          if (s < 172800) return Math.floor(s / 3600) + " h " + Math.floor(s % 3600 / 60) + " min";
          return Math.floor(s / 86400) + " days";
        }
        function bytes(n) {
          const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
          let unit = 0;
          while (n >= 1024 && unit < 4) { n /= 1024; unit += 1; }
          return (unit === 0 ? number(n) : n.toFixed(1)) + " " + units[unit];
        }
        function rate(perSecond) {
          if (perSecond === null || perSecond === undefined) return "";
          if (perSecond > 0 && perSecond < 0.1) return (perSecond * 60).toFixed(1) + "/min";
          return perSecond.toFixed(perSecond < 10 ? 1 : 0) + "/s";
        }

        function element(name, parent, className) {
          const made = document.createElement(name);
          if (className) made.className = className;
          if (parent) parent.append(made);
          return made;
        }
        function say(node, text, className) {
          if (node.textContent !== text) node.textContent = text;
          if (className !== undefined && node.className !== className) node.className = className;
          if (node.hidden !== (text === "")) node.hidden = text === "";
        }
        // Makes a list have one element for each item, in the order of the items, and keeps the elements of known keys.
        function list(parent, items, key, make, show) {
          const known = new Map();
          for (const child of [...parent.children]) {
            if (known.has(child.dataset.key)) child.remove();
            else known.set(child.dataset.key, child);
          }
          let last = null;
          for (const item of items) {
            const name = key(item);
            let child = known.get(name);
            if (child) known.delete(name);
            else {
              child = element("li");
              child.dataset.key = name;
              child.parts = make(child);
            }
            const place = last ? last.nextSibling : parent.firstChild;
            if (place !== child) parent.insertBefore(child, place);
            show(child.parts, item, child);
            last = child;
          }
          for (const child of known.values()) child.remove();
        }
        function section(id, items, key, make, show, note, empty) {
          const place = $(id), isShown = items !== undefined && items !== null && (items.length > 0 || empty);
          place.hidden = !isShown;
          if (!isShown) return;
          list(place.querySelector("ul"), items, key, make, show);
          say(place.querySelector(".note"), items.length === 0 ? empty : note || "");
        }

        function bar(parent, names) {
          const node = element("div", parent, "bar");
          node.setAttribute("role", "progressbar");
          node.setAttribute("aria-valuemin", "0");
          node.segments = names.map(name => element("i", node, name));
          return node;
        }
        function setBar(node, values, total, label, text) {
          node.segments.forEach((segment, index) => {
            segment.style.flexBasis = (total > 0 ? 100 * values[index] / total : 0) + "%";
          });
          node.setAttribute("aria-label", label);
          node.setAttribute("aria-valuemax", String(total));
          node.setAttribute("aria-valuenow", String(values.slice(0, outcomes.length).reduce((a, b) => a + b, 0)));
          node.setAttribute("aria-valuetext", text);
        }

        function makeBatch(item) {
          const head = element("div", item, "head"), title = element("h3", head);
          return { link: element("a", title), state: element("span", head, "tag"),
            bar: bar(item, [...outcomes.map(o => o[0]), "claimed"]), progress: element("p", item, "numbers"),
            outcomes: element("p", item, "outcomes"), facts: element("p", item, "facts") };
        }
        function showBatch(parts, batch) {
          say(parts.link, batch.name);
          parts.link.href = "#batch=" + encodeURIComponent(batch.name);
          say(parts.state, batch.state, "tag " + batch.state);
          const total = number(batch.lines) + (batch.isGrowing ? " so far" : "");
          const share = batch.lines > 0 ? Math.floor(100 * batch.ended / batch.lines) + "%" : "";
          const ended = number(batch.ended) + " of " + total + (share ? " (" + share + ")" : "");
          const values = outcomes.map(o => batch[o[0]]);
          setBar(parts.bar, [...values, batch.withWorkers], batch.lines, "Progress of " + batch.name, ended);
          const pace = batch.state === "open" ? rate(batch.rate) : "";
          const left = batch.secondsLeft === null || batch.secondsLeft === undefined ? ""
            : duration(batch.secondsLeft) + " left";
          say(parts.progress, [ended, pace, left].filter(Boolean).join(" · "));
          const shown = outcomes.map((o, i) => [o[0], o[1], values[i]]).filter(o => o[2] > 0);
          if (batch.withWorkers > 0) shown.push(["claimed", "with workers", batch.withWorkers]);
          spans(parts.outcomes, shown);
          say(parts.facts, [bytes(batch.bytes), "began " + duration(now - batch.created) + " ago",
            batch.priority ? "priority " + batch.priority : ""].filter(Boolean).join(" · "));
        }
        function spans(parent, shown) {
          while (parent.children.length > shown.length) parent.lastChild.remove();
          while (parent.children.length < shown.length) element("span", parent);
          shown.forEach((o, i) => say(parent.children[i], number(o[2]) + " " + o[1], o[0]));
          parent.hidden = shown.length === 0;
        }

        function makeWorker(item) {
          const head = element("div", item, "head");
          return { name: element("h3", head), state: element("span", head, "tag"), bar: bar(item, ["claimed"]),
            facts: element("p", item, "numbers"), more: element("p", item, "facts") };
        }
        function showWorker(parts, worker) {
          say(parts.name, worker.name);
          const isSilent = worker.silent >= 10;
          say(parts.state, isSilent ? "silent" : "alive", isSilent ? "tag warn" : "tag complete");
          const used = Math.min(worker.inHand, worker.slots);
          const text = count(worker.inHand, "line") + " with " + count(worker.slots, "slot");
          setBar(parts.bar, [used], worker.slots, "Lines of " + worker.name, text);
          say(parts.facts, text + " · " + number(worker.recorded) + " recorded");
          say(parts.more, [worker.version ? "tables of version " + worker.version : "",
            "last sign " + duration(worker.silent) + " ago", "started " + duration(now - worker.started) + " ago"]
            .filter(Boolean).join(" · "));
        }

        function makeOrigin(item) {
          const head = element("div", item, "head");
          return { name: element("h3", head), state: element("span", head, "tag"), facts: element("p", item, "numbers"),
            more: element("p", item, "facts") };
        }
        function showOrigin(parts, origin) {
          say(parts.name, origin.origin || "not known yet");
          const pause = origin.paused;
          say(parts.state, pause === null ? "" : "paused for " + duration(pause), "tag warn");
          say(parts.facts, [origin.lines === null ? "" : count(origin.lines, "line"),
            origin.ready === null ? "" : limited(origin.ready) + " ready",
            origin.ended === null ? "" : number(origin.ended) + " ended"].filter(Boolean).join(" · "));
          say(parts.more, origin.limits ? "limit: " + origin.limits : "");
        }

        function makeFailure(item) {
          const details = element("details", item), title = element("summary", details);
          return { code: element("code", title), count: element("span", title), samples: element("ul", details) };
        }
        function showFailure(parts, failure) {
          say(parts.code, failure.code);
          say(parts.count, " " + count(failure.count, "line"));
          list(parts.samples, failure.samples, sample => sample.id, item => {
            const made = { id: element("code", item) };
            item.append(" ");
            made.message = element("span", item);
            return made;
          }, (sample, data) => { say(sample.id, data.id); say(sample.message, data.message); });
        }

        function makeWait(item) {
          const head = element("div", item, "head"), title = element("h3", head);
          return { id: element("code", title), count: element("span", head, "numbers"), facts: element("p", item, "facts"),
            samples: element("ul", item) };
        }
        function showWait(parts, wait) {
          say(parts.id, wait.id);
          say(parts.count, count(wait.count, "line") + (wait.count === 1 ? " waits" : " wait"));
          say(parts.facts, wait.isBlocked ? "waits for other lines itself" : "has not ended");
          const rest = wait.count - wait.samples.length;
          const names = rest > 0 ? [...wait.samples, "and " + number(rest) + " more"] : wait.samples;
          list(parts.samples, names.map((name, i) => [i, name]), pair => String(pair[0]), item => element("code", item),
            (code, pair) => say(code, pair[1]));
        }

        function makeSchedule(item) {
          const head = element("div", item, "head");
          const made = { name: element("h3", head), state: element("span", head, "tag"), times: element("p", item),
            next: element("p", item, "numbers"), last: element("p", item, "facts") };
          made.lastTime = element("span", made.last);
          made.lastBatch = element("a", made.last);
          made.problem = element("p", item, "warn");
          return made;
        }
        function showSchedule(parts, schedule) {
          say(parts.name, schedule.name);
          const state = schedule.isPaused ? "paused" : schedule.problem !== null ? "problem" : "active";
          say(parts.state, state, state === "active" ? "tag complete" : "tag warn");
          say(parts.times, schedule.every + " (" + schedule.timeZone + ")");
          const wait = schedule.next === null ? 0 : schedule.next - now;
          say(parts.next, schedule.next === null ? ""
            : wait < 0 ? "due for " + duration(-wait) : "next in " + duration(wait));
          const batch = schedule.wasSkipped || schedule.lastBatch === null ? "" : schedule.lastBatch;
          say(parts.lastTime, schedule.last === null ? "never yet" : "last " + duration(now - schedule.last) + " ago"
            + (schedule.wasSkipped ? ", skipped: the batch before it ran" : batch ? ": " : ""));
          say(parts.lastBatch, batch);
          parts.lastBatch.href = "#batch=" + encodeURIComponent(batch);
          say(parts.problem, schedule.problem === null ? "" : schedule.problem);
        }

        let now = 0, name = "", source = null, lastEvent = 0, wasMissing = false;
        function show(data) {
          if (data.problem) return connection("The state cannot be read: " + data.problem, true);
          now = data.time;
          connection("Live, read at " + new Date(now * 1000).toLocaleTimeString(), false);
          const key = item => item.name, isRun = data.kind === "run", batch = data.batch;
          wasMissing = name !== "" && data.batches.length === 0;
          document.body.className = name || isRun ? "one" : "";
          say($("title"), name || (isRun ? "Run" : "Fleet"));
          document.title = (name ? name + ": " : "") + titleShare(data.batches) + "Bluebonnet status";
          say($("summary"), wasMissing ? "There is no batch of this name." : "");
          section("batches", data.batches, key, makeBatch, showBatch,
            !name && data.batchCount > data.batches.length ? "The newest of " + number(data.batchCount) + " batches." : "",
            wasMissing ? "" : "No batches.");
          $("batches-title").textContent = name ? "Progress" : "Batches";
          section("failures", batch && batch.failures, item => item.code, makeFailure, showFailure,
            batch && "From the " + number(batch.examined) + " results that were examined so far.");
          section("origins", batch && batch.origins, item => item.origin, makeOrigin, showOrigin);
          section("waits", batch && batch.waits, item => item.id, makeWait, showWait,
            batch && batch.blocked > 0 ? limited(batch.blocked) + (batch.blocked === 1 ? " line waits" : " lines wait")
              + " for other lines." : "");
          section("workers", data.workers, item => item.name + " " + item.started, makeWorker, showWorker, "",
            "No workers.");
          $("workers-title").textContent = isRun ? "Process" : "Workers";
          section("schedules", name ? null : data.schedules, key, makeSchedule, showSchedule,
            data.schedules && data.scheduleCount > data.schedules.length
              ? "The first of " + number(data.scheduleCount) + " schedules." : "", "No schedules.");
        }
        function titleShare(batches) {
          const lines = batches.reduce((sum, b) => sum + b.lines, 0), ended = batches.reduce((sum, b) => sum + b.ended, 0);
          return lines > 0 ? Math.floor(100 * ended / lines) + "% · " : "";
        }
        function connection(text, isBad) {
          const node = $("connection");
          // A screen reader hears changes of the connection, not the time of each reading.
          node.setAttribute("aria-live", isBad || node.className === "bad" ? "polite" : "off");
          say(node, text, isBad ? "bad" : "");
        }

        function open() {
          if (source) source.close();
          lastEvent = Date.now();
          source = new EventSource("events" + (name ? "?batch=" + encodeURIComponent(name) : ""));
          source.onmessage = event => { lastEvent = Date.now(); show(JSON.parse(event.data)); };
          source.onerror = () => connection("The connection is lost. Trying again …", true);
        }
        function route(isFirst) {
          const hash = location.hash.startsWith("#batch=") ? location.hash.slice(7) : "";
          try { name = decodeURIComponent(hash); } catch { name = hash; }
          $("back").hidden = name === "";
          for (const id of ["failures", "origins", "waits", "schedules"]) $(id).hidden = true;
          if (!isFirst) { say($("title"), name || "Status"); $("title").focus(); scrollTo(0, 0); }
          open();
        }
        addEventListener("hashchange", () => route(false));
        // A page that is not seen reads nothing.
        document.addEventListener("visibilitychange", () => {
          if (document.hidden) { if (source) source.close(); source = null; } else open();
        });
        setInterval(() => {
          if (!source) return;
          if (source.readyState === EventSource.CLOSED) open();
          else if (Date.now() - lastEvent > 15000) connection("No news for " + duration((Date.now() - lastEvent) / 1000)
            + ".", true);
        }, 5000);
        route(true);
        """#
}
