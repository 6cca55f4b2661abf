"use strict";
(function () {
	// Runs of digits count as numbers: host-9 before host-10.
	var natural = new Intl.Collator("en", { numeric: true }).compare;

	function key(row, k) {
		var cell = row.cells[k], v = cell.getAttribute("data-value");
		return v === null ? cell.textContent : Number(v);
	}

	// What is no number stays at the end in either direction.
	function order(a, b, up) {
		var x = typeof a === "number", y = typeof b === "number";
		if (x && y)
			return up ? a - b : b - a;
		if (x !== y)
			return x ? -1 : 1;
		return up ? natural(a, b) : natural(b, a);
	}

	function sort(table, k) {
		var heads = table.tHead.rows[0].cells, head = heads[k];
		var was = head.getAttribute("aria-sort"), body = table.tBodies[0];
		var number = head.classList.contains("n");
		// The largest number is what one looks for first.
		var up = was ? was === "descending" : !number;
		var rows = Array.from(body.rows).map(function (row, i) {
			return { row: row, key: key(row, k), at: i };
		});
		rows.sort(function (a, b) {
			return order(a.key, b.key, up) || a.at - b.at;
		});
		Array.from(heads).forEach(function (h) {
			h.removeAttribute("aria-sort");
		});
		head.setAttribute("aria-sort", up ? "ascending" : "descending");
		rows.forEach(function (r) { body.appendChild(r.row); });
	}

	document.querySelectorAll("table.sortable").forEach(function (table) {
		if (table.tBodies[0].rows.length < 2)
			return;
		Array.from(table.tHead.rows[0].cells).forEach(function (head, k) {
			var button = document.createElement("button");
			button.type = "button";
			button.textContent = head.textContent;
			head.textContent = "";
			head.appendChild(button);
			button.addEventListener("click", function () { sort(table, k); });
		});
	});
})();
