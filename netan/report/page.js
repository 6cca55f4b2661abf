"use strict";
// Tables that can be sorted.  The page is whole without this script.
(function () {
	// Runs of digits count as numbers: host-9 before host-10.
	const natural = new Intl.Collator("en", { numeric: true }).compare;

	function key(row, k) {
		const cell = row.cells[k], v = cell.getAttribute("data-value");
		return v === null ? cell.textContent : Number(v);
	}

	// What is no number stays at the end in either direction.
	function order(a, b, up) {
		const x = typeof a === "number", y = typeof b === "number";
		if (x && y)
			return up ? a - b : b - a;
		if (x !== y)
			return x ? -1 : 1;
		return up ? natural(a, b) : natural(b, a);
	}

	function sort(table, k) {
		const heads = Array.from(table.tHead.rows[0].cells), head = heads[k];
		const was = head.getAttribute("aria-sort"), body = table.tBodies[0];
		// The largest number is what one looks for first.
		const up = was ? was === "descending" : !head.classList.contains("n");
		const rows = Array.from(body.rows).map((row, i) =>
			({ row: row, key: key(row, k), at: i }));
		rows.sort((a, b) => order(a.key, b.key, up) || a.at - b.at);
		heads.forEach((h) => h.removeAttribute("aria-sort"));
		head.setAttribute("aria-sort", up ? "ascending" : "descending");
		rows.forEach((r) => body.appendChild(r.row));
	}

	document.querySelectorAll("table.sortable").forEach((table) => {
		if (table.tBodies[0].rows.length < 2)
			return;
		Array.from(table.tHead.rows[0].cells).forEach((head, k) => {
			if (!head.textContent)
				return;
			const button = document.createElement("button");
			button.type = "button";
			button.textContent = head.textContent;
			head.textContent = "";
			head.appendChild(button);
			button.addEventListener("click", () => sort(table, k));
		});
	});
})();

// Figures over time: the values at the pointer, and a window in detail.
(function () {
	const SVG = "http://www.w3.org/2000/svg";
	const LEFT = 64, RIGHT = 12, TOP = 22, PANEL = 120, GAP = 30;

	function make(parent, tag, attributes, text) {
		const svg = parent.namespaceURI === SVG || tag === "svg";
		const e = svg ? document.createElementNS(SVG, tag)
			: document.createElement(tag);
		for (const name in attributes)
			e.setAttribute(name, attributes[name]);
		if (text !== undefined)
			e.textContent = text;
		parent.appendChild(e);
		return e;
	}

	// Three significant digits, and the whole part.
	function number(x) {
		return x === null ? "-" : String(Math.abs(x) >= 1000 ? Math.round(x)
			: Number(x.toPrecision(3)));
	}

	// An instant, as exact as `step` asks for.
	function seconds(x, step) {
		return x.toFixed(Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)))) + " s";
	}

	function span(x) {
		return x < 1e-3 ? number(x * 1e6) + " us" : x < 1 ? number(x * 1e3) + " ms"
			: number(x) + " s";
	}

	// Round numbers in [from, to], some `most` of them.
	function ticks(from, to, most) {
		const raw = (to - from) / most, ten = Math.pow(10, Math.floor(Math.log10(raw)));
		const step = [1, 2, 5, 10].map((m) => m * ten).find((s) => s >= raw) || ten * 10;
		const at = [];
		for (let k = Math.ceil(from / step - 1e-9); k * step <= to + step * 1e-9; k++)
			at.push(k * step);
		return { at: at, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
	}

	function decades(from, to) {
		const at = [];
		for (let d = Math.floor(from); d <= Math.ceil(to); d++)
			at.push(d);
		return at;
	}

	function Explorer(figure, data) {
		const [width, height, x0, y0, x1, y1, from, to] = data.at;
		const dt = data.bin_s * data.bins, n = data.series[0].v.length;
		const sheet = figure.querySelector(".sheet");
		const percent = (v, of) => (100 * v / of) + "%";
		let at = 0, window_ = null, drag = null;

		const pick = make(sheet, "div", { "class": "pick", tabindex: "0", role: "slider",
			"aria-label": "Time in the figure " + data.part,
			"aria-valuemin": from, "aria-valuemax": to, "aria-valuenow": from });
		pick.style.left = percent(x0, width);
		pick.style.width = percent(x1 - x0, width);
		pick.style.top = percent(y0, height);
		pick.style.height = percent(y1 - y0, height);
		const band = make(pick, "div", { "class": "band", hidden: "" });
		const cross = make(pick, "div", { "class": "cross", hidden: "" });
		const values = make(figure, "p", { "class": "values", "aria-live": "polite" },
			"Point at the figure for its values; drag over it to see a window in detail.");
		const bar = make(figure, "p", { "class": "bar" });
		const label = make(bar, "span", { role: "status" });
		const detail = make(figure, "div", { "class": "detail", hidden: "" });
		const chart = make(detail, "div", { "class": "chart" });

		[["Closer", () => zoom(0.5)], ["Wider", () => zoom(2)],
			["Earlier", () => shift(-0.5)], ["Later", () => shift(0.5)],
			["Whole", whole]].forEach(([name, act]) => {
			make(bar, "button", { type: "button" }, name).addEventListener("click", act);
		});

		const timeOf = (k) => data.t0 + k * dt;
		const indexOf = (t) => Math.max(0, Math.min(n - 1, Math.floor((t - data.t0) / dt + 1e-9)));

		function show(k) {
			const shown = window_ || [from, to];
			at = k;
			const t = timeOf(k) + dt / 2;
			cross.hidden = false;
			cross.style.left = percent(t - from, to - from);
			values.textContent = "At " + seconds(timeOf(k), dt) +
				(data.bins > 1 ? " (largest of " + data.bins + " bins)" : "") + ": " +
				data.series.map((s) => s.name + " " + number(s.v[k]) + " " + s.unit).join(", ");
			pick.setAttribute("aria-valuenow", timeOf(k));
			pick.setAttribute("aria-valuetext", values.textContent);
			const line = chart.querySelector(".hair");
			if (line) {
				const w = chart.clientWidth, x = LEFT + (w - LEFT - RIGHT) *
					(t - shown[0]) / (shown[1] - shown[0]);
				line.setAttribute("x1", x);
				line.setAttribute("x2", x);
				line.style.display = x < LEFT || x > w - RIGHT ? "none" : "";
			}
		}

		function whole() {
			window_ = null;
			band.hidden = detail.hidden = true;
			label.textContent = "";
		}

		// At least two points, inside the figure.
		function look(a, b) {
			const least = 2 * dt, most = to - from;
			let size = Math.min(most, Math.max(least, b - a)), mid = (a + b) / 2;
			mid = Math.max(from + size / 2, Math.min(to - size / 2, mid));
			if (size >= most * 0.9999)
				return whole();
			window_ = [mid - size / 2, mid + size / 2];
			band.hidden = detail.hidden = false;
			band.style.left = percent(window_[0] - from, most);
			band.style.width = percent(size, most);
			label.textContent = "Window " + seconds(window_[0], size / 100) + " to " +
				seconds(window_[1], size / 100) + ": " + span(size) + ", " +
				number(100 * size / most) + " % of the figure; a point is " + span(dt);
			draw();
		}

		function zoom(factor) {
			const w = window_ || [from, to], half = (w[1] - w[0]) * factor / 2;
			const t = timeOf(at) + dt / 2;
			const mid = !cross.hidden && t >= w[0] && t <= w[1] ? t : (w[0] + w[1]) / 2;
			look(mid - half, mid + half);
		}

		function shift(share) {
			if (window_) {
				const d = (window_[1] - window_[0]) * share;
				look(window_[0] + d, window_[1] + d);
			}
		}

		// Steps: a value holds from its bin's start to its end.
		function path(s, x, y, first, last) {
			let d = "", pen = false;
			for (let k = first; k <= last; k++) {
				const v = s.v[k];
				if (v === null || (s.log && v <= 0)) {
					pen = false;
					continue;
				}
				d += (pen ? "V" : "M" + x(timeOf(k)).toFixed(1) + ",") + y(v).toFixed(1) +
					"H" + x(timeOf(k + 1)).toFixed(1);
				pen = true;
			}
			return d;
		}

		function panel(svg, group, top, x, first, last, w) {
			const all = group.flatMap((s) => s.v.slice(first, last + 1)).filter((v) => v !== null);
			const log = group[0].log, some = all.filter((v) => !log || v > 0);
			const low = log ? Math.floor(Math.log10(Math.min(...some, 1e12))) : 0;
			const high = log ? Math.ceil(Math.log10(Math.max(...some, 1e-12)) + 1e-9)
				: Math.max(...all, 1e-9) * 1.05;
			const span = high > low ? high - low : 1;
			const y = (v) => top + PANEL * (1 - ((log ? Math.log10(v) : v) - low) / span);
			const marks = log ? { at: decades(low, low + span).map((d) => Math.pow(10, d)) }
				: ticks(0, high, 4);
			marks.at.forEach((v) => {
				make(svg, "line", { "class": "grid", x1: LEFT, x2: w - RIGHT, y1: y(v), y2: y(v) });
				make(svg, "text", { x: LEFT - 6, y: y(v) + 4, "text-anchor": "end" },
					log ? number(v) : v.toFixed(marks.digits));
			});
			const head = make(svg, "text", { x: LEFT, y: top - 7 });
			make(head, "tspan", { "class": "unit" }, group[0].unit);
			group.forEach((s, i) => {
				make(head, "tspan", { dx: 10, style: "fill:var(--na-" + s.hue + ")" },
					i % 2 ? "┄ " : "━ ");
				make(head, "tspan", {}, s.name);
				make(svg, "path", { "class": "line", "clip-path": "url(#clip-" + data.part + ")",
					"stroke-dasharray": i % 2 ? "4 2" : "none",
					style: "stroke:var(--na-" + s.hue + ")", d: path(s, x, y, first, last) });
			});
		}

		function draw() {
			const groups = [], w = Math.max(280, chart.clientWidth), [a, b] = window_;
			data.series.forEach((s) => {
				const same = groups.find((g) => g[0].unit === s.unit);
				same ? same.push(s) : groups.push([s]);
			});
			const bottom = TOP + groups.length * (PANEL + GAP) - GAP;
			const x = (t) => LEFT + (w - LEFT - RIGHT) * (t - a) / (b - a);
			chart.textContent = "";
			const svg = make(chart, "svg", { width: w, height: bottom + 44, "aria-hidden": "true" });
			const clip = make(make(svg, "defs"), "clipPath", { id: "clip-" + data.part });
			make(clip, "rect", { x: LEFT, y: 0, width: w - LEFT - RIGHT, height: bottom + 1 });
			const first = indexOf(a), last = indexOf(b);
			groups.forEach((g, i) => panel(svg, g, TOP + i * (PANEL + GAP), x, first, last, w));
			const marks = ticks(a, b, Math.max(3, w / 110));
			marks.at.forEach((t) => {
				make(svg, "line", { "class": "tick", x1: x(t), x2: x(t), y1: bottom, y2: bottom + 5 });
				make(svg, "text", { x: x(t), y: bottom + 18, "text-anchor": "middle" },
					t.toFixed(marks.digits));
			});
			make(svg, "line", { "class": "axis", x1: LEFT, x2: w - RIGHT, y1: bottom, y2: bottom });
			make(svg, "text", { x: (LEFT + w - RIGHT) / 2, y: bottom + 36, "text-anchor": "middle" },
				"time from the origin (s)");
			make(svg, "line", { "class": "hair", y1: TOP, y2: bottom, style: "display:none" });
			if (!cross.hidden)
				show(at);
		}

		function timeAt(event) {
			const box = pick.getBoundingClientRect();
			return from + (to - from) * (event.clientX - box.left) / box.width;
		}

		function timeInChart(event) {
			const box = chart.getBoundingClientRect();
			return window_[0] + (window_[1] - window_[0]) *
				(event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
		}

		pick.addEventListener("pointerdown", (event) => {
			show(indexOf(timeAt(event)));
			// A finger scrolls the page; the buttons zoom.
			if (event.button !== 0 || event.pointerType === "touch")
				return;
			drag = timeAt(event);
			pick.setPointerCapture(event.pointerId);
		});
		pick.addEventListener("pointermove", (event) => {
			const t = timeAt(event);
			show(indexOf(t));
			if (drag !== null && Math.abs(t - drag) > (to - from) / 100)
				look(Math.min(t, drag), Math.max(t, drag));
		});
		["pointerup", "pointercancel"].forEach((name) =>
			pick.addEventListener(name, () => { drag = null; }));
		chart.addEventListener("pointermove", (event) => {
			if (window_)
				show(indexOf(timeInChart(event)));
		});
		// A page scrolls, unless this figure was chosen before.
		[pick, chart].forEach((e) => e.addEventListener("wheel", (event) => {
			if (document.activeElement !== pick && !event.ctrlKey)
				return;
			event.preventDefault();
			zoom(event.deltaY > 0 ? 1.25 : 0.8);
		}, { passive: false }));
		pick.addEventListener("keydown", (event) => {
			const far = event.shiftKey ? 10 : 1;
			const keys = {
				ArrowLeft: () => show(Math.max(0, at - far)),
				ArrowRight: () => show(Math.min(n - 1, at + far)),
				Home: () => show(0), End: () => show(n - 1),
				"+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2),
				PageUp: () => shift(-0.5), PageDown: () => shift(0.5),
				Escape: whole, "0": whole
			};
			if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey)
				return;
			event.preventDefault();
			keys[event.key]();
		});
		window.addEventListener("resize", () => { if (window_) draw(); });
	}

	document.querySelectorAll("script.hover").forEach((block) => {
		const data = JSON.parse(block.textContent);
		if (data.series.length && data.series[0].v.length)
			Explorer(block.closest("figure"), data);
	});
})();
