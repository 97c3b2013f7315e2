// Keys. An element with data-key="c" is pressed by c, one with data-key="g e" by g and then e;
// rows with data-row are walked by j and k. Single keys can be switched off in the list of keys (WCAG 2.1.4).
(() => {
  const keys = document.getElementById("keys");
  const palette = document.getElementById("palette");
  const single = document.getElementById("single-keys");
  const stored = "evalsite.single-keys";
  single.checked = localStorage.getItem(stored) !== "off";
  single.addEventListener("change", () => localStorage.setItem(stored, single.checked ? "on" : "off"));

  const search = () => {
    if (!palette || palette.open) return;
    palette.showModal();
    palette.querySelector("input").select();
    window.htmx?.trigger(palette.querySelector("input"), "open");
  };

  const step = (by) => {
    const rows = [...document.querySelectorAll("main [data-row]")];
    const current = rows.indexOf(document.activeElement?.closest("[data-row]") ?? document.querySelector("[data-row]:is([aria-selected=true], [aria-current=true])"));
    const row = rows[current < 0 ? (by > 0 ? 0 : rows.length - 1) : current + by];
    row?.querySelector("a[href]")?.focus();
  };

  const commands = {
    j: () => step(1),
    k: () => step(-1),
    x: () => document.activeElement?.closest("[data-row]")?.querySelector("[type=checkbox]")?.click(),
    "/": () => {
      const field = document.querySelector("main input[type=search]");
      if (field) field.select(), field.focus();
      else search();
    },
  };

  // The list of keys names those that work here.
  const offer = () => {
    for (const line of keys.querySelectorAll("[data-when]")) line.hidden = !document.querySelector(line.dataset.when);
    for (const part of keys.querySelectorAll("section")) part.hidden = !part.querySelector("dl > :not([hidden])");
    keys.showModal();
  };

  let first = "";
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k" && palette) {
      event.preventDefault();
      search();
    }
    // From a note back to the keys that rate.
    if (event.key === "Escape" && event.target.matches("form[data-once] textarea")) event.target.blur();
    const typing = event.target.closest("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable], dialog");
    const pressed = event.key === "Enter" && event.target.closest("a, button, summary");
    if (typing || pressed || event.repeat && event.key !== "j" && event.key !== "k" || !single.checked || event.ctrlKey || event.metaKey || event.altKey) return;
    // [ and ] belong to the open example, if there is one; else to the pages of the list.
    const opened = "[]".includes(event.key) && document.querySelector(".drawer, tbody[aria-current=true]");
    const element = (opened || document).querySelector(`[data-key="${CSS.escape(first ? `${first} ${event.key}` : event.key)}"]`);
    // Nothing to compare is not a mistake: the button waits for a tick, and says so where the boxes are.
    const idle = element?.form && new FormData(element.form).entries().next().done;
    const wait = () => {
      document.getElementById("said").textContent = element.dataset.idle ?? "";
      [...element.form.elements].find(({ type }) => type === "checkbox")?.focus();
    };
    const press = () => (opened && element.focus({ preventScroll: true }), element.click());
    const command = element ? (idle ? wait : press) : !first && commands[event.key];
    first = !first && event.key === "g" ? "g" : "";
    if (first) setTimeout(() => { first = ""; }, 1500);
    if (!command) return;
    event.preventDefault();
    command();
  });

  // Enter takes the first hit, of what was typed last.
  let stale = false, take = false;
  const takeFirst = () => { take = false; palette.querySelector("#hits li a")?.click(); };
  palette?.addEventListener("input", () => { stale = true; });
  palette?.addEventListener("htmx:afterSettle", () => { stale = false; if (take) takeFirst(); });

  palette?.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("input") && event.target.value) {
      event.preventDefault();
      if (stale) take = true;
      else takeFirst();
    }
    // Chrome would use the first Escape to empty the field.
    if (event.key === "Escape") event.preventDefault(), palette.close();
    if (!["ArrowDown", "ArrowUp"].includes(event.key)) return;
    const stops = [palette.querySelector("input"), ...palette.querySelectorAll("li a")];
    const next = stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    stops.at(next % stops.length).focus();
    event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-palette]") && palette) event.preventDefault(), search();
    if (event.target.closest('.palette [href^="#"]')) palette.close();
    if (event.target.closest('[href="#keys"]')) event.preventDefault(), offer();
    if (event.target.matches("dialog[open]")) event.target.close();
  });
})();
