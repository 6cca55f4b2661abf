# In a browser: no errors, nothing refused, sorting and the detail work.
command -v chromium >/dev/null ||
	{ echo "skip: chromium is not installed"; exit 77; }
[ -z "$NETAN_SAN" ] || { echo "skip: once is enough"; exit 77; }
netan synth -o t --run r --hosts 3 --devices 2 --steps 6 \
	--fault slow-sender:1:4 >/dev/null
netan report t -o p.html || exit 1
browse()
{
	timeout 600 chromium --headless --no-sandbox --disable-gpu \
		--user-data-dir="$PWD/profile" --enable-logging=stderr \
		--virtual-time-budget=5000 --dump-dom "file://$PWD/$1" 2>log
}
browse p.html >dom
grep -q '</html>' dom || { echo "skip: chromium does not start here"; exit 77; }
# With the page's own policy in force, its script has run.
grep -c '<button type="button">bytes</button>' dom
grep -c 'role="slider"' dom
grep -i -E 'console|refused|violates' log
# A page that tries itself; the policy would not let it.
sed '/Content-Security-Policy/d; /<\/body>/d; /<\/html>/d' p.html >try.html
cat >>try.html <<'END'
<script>
const say = [], table = document.querySelector("#coverage table.inputs");
const column = (k) => Array.from(table.tBodies[0].rows, (r) => r.cells[k].textContent);
const head = (k) => table.tHead.rows[0].cells[k];
const press = (k) => head(k).querySelector("button").click();
const byNumber = (a, b) => Number(a.replace(/\D/g, "")) - Number(b.replace(/\D/g, ""));
const same = (a, b) => a.join() === b.join();
press(3);
say.push("down " + same(column(3), column(3).sort(byNumber).reverse()) + " " + head(3).getAttribute("aria-sort"));
press(3);
say.push("up " + same(column(3), column(3).sort(byNumber)) + " " + head(3).getAttribute("aria-sort"));
press(2);
say.push("hosts " + column(2).join(" ") + " " + head(2).getAttribute("aria-sort") + " " + head(3).getAttribute("aria-sort"));
press(2);
say.push("hosts " + column(2).join(" "));
const figure = document.querySelector("#timeline figure"), pick = figure.querySelector(".pick");
const key = (k) => pick.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true }));
key("Home"); key("ArrowRight");
say.push("values " + /^At [0-9.]+ s: RX [0-9.]+ Gbit\/s, TX /.test(figure.querySelector(".values").textContent));
say.push("detail " + figure.querySelector(".detail").hidden);
key("+");
say.push("window " + /^Window [0-9.]+ s to [0-9.]+ s: .*, 50 % of the figure/.test(figure.querySelector(".bar span").textContent));
say.push("lines " + figure.querySelectorAll(".chart path.line").length);
key("Escape");
say.push("detail " + figure.querySelector(".detail").hidden);
say.push("wide " + (document.documentElement.scrollWidth <= innerWidth));
document.body.dataset.said = say.join("\n");
</script>
</body>
</html>
END
browse try.html | sed -n '/<body data-said/,/>/p' | sed 's/.*said="//; s/">.*//'
grep -i -E 'console|refused|violates' log
exit 0
