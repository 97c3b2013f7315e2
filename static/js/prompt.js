// The editor of prompts and the bench: variables are marked while they are typed (evaluations/prompts/templates.py has
// the rules), and on the bench the words that differ from those of the first column.
(() => {
  const form = document.querySelector("#prompt, #bench");
  const VARIABLE = /(\\?)\{\{[ \t]*([^{}\n]*?)[ \t]*\}\}/g;
  const OPEN = /(?<!\\)\{\{(?![^{}\n]*\}\})[^{}\n]*/g; // begun, and not closed on its line
  const WORDS = { inputs: "column", metadata: "metadata", reference: "reference, never sent", "": "not a column" };
  // A form with a field called dataset has no other `dataset`.
  const columns = () => JSON.parse(document.querySelector("main [data-columns]").getAttribute("data-columns"));

  const begins = (names, known = []) => names.some((_, end) => known.includes(names.slice(0, end + 1).join(".")));
  const part = (variable, known) => {
    const names = variable.split(".");
    if (begins(names, known.inputs)) return "inputs";
    if (names[0] === "metadata" && begins(names.slice(1), known.metadata)) return "metadata";
    return begins(names, known.reference) ? "reference" : "";
  };

  const mark = (variable, text, known) => {
    const element = document.createElement("mark");
    element.className = "variable";
    element.textContent = text;
    element.toggleAttribute("data-unknown", known !== null && ["", "reference"].includes(part(variable, known)));
    return element;
  };

  // A message that is edited as JSON is filled in its content alone.
  const filled = (textarea) => {
    if (textarea.closest(".message").querySelector("[name$=as]").value !== "json") return textarea.value;
    try {
      return JSON.stringify(JSON.parse(textarea.value).content) ?? "";
    } catch {
      return textarea.value; // It is not yet JSON.
    }
  };

  const namesIn = (text) => new Set([...text.matchAll(VARIABLE)].filter((found) => !found[1]).map((found) => found[2]));

  // A text between variables, with what begins like one and does not end.
  const plain = (text) => {
    const parts = [];
    let end = 0;
    for (const found of text.matchAll(OPEN)) {
      const element = mark("", found[0], { inputs: [], metadata: [], reference: [] });
      element.dataset.open = "";
      parts.push(text.slice(end, found.index), element);
      end = found.index + found[0].length;
    }
    return [...parts, text.slice(end)];
  };

  const marked = (line, names, known, variables) => {
    const parts = [];
    let end = 0;
    for (const found of line.matchAll(VARIABLE)) {
      if (found[1] || !names.has(found[2])) continue;
      variables.add(found[2]);
      parts.push(...plain(line.slice(end, found.index)), mark(found[2], found[0], known));
      end = found.index + found[0].length;
    }
    return [...parts, ...plain(line.slice(end))];
  };

  // The text of the message of the first column that it belongs to, "" for an added one; null in that column itself.
  const before = (textarea) => {
    const column = textarea.closest(".bench-column");
    if (!column?.previousElementSibling) return null;
    const { beside } = textarea.dataset;
    return beside && column.parentElement.querySelector(".bench-column").querySelectorAll(".template-text")[beside]?.value || "";
  };

  // Words, variables and signs, and the blanks between them.
  const WORD = /\\?\{\{[^{}\n]*\}\}|\s+|[\p{P}\p{S}]|[^\s\p{P}\p{S}]+/gu;
  const words = (text) => text.match(WORD) ?? [];
  const MOST_PAIRS = 4e6;

  // Which of these words the other text has, too, in the same order: its longest common subsequence.
  const kept = (here, there) => {
    const begins = here.findIndex((word, at) => word !== there[at]);
    if (begins < 0) return here.map(() => true);
    let tail = 0;
    while (tail < Math.min(here.length, there.length) - begins && here.at(-1 - tail) === there.at(-1 - tail)) tail += 1;
    const [mine, others] = [here.slice(begins, here.length - tail), there.slice(begins, there.length - tail)];
    const flags = here.map((_, at) => at < begins || at >= here.length - tail);
    if (mine.length * others.length > MOST_PAIRS) return flags;
    const longest = [...mine, null].map(() => new Uint16Array(others.length + 1));
    for (let i = mine.length - 1; i >= 0; i -= 1)
      for (let j = others.length - 1; j >= 0; j -= 1)
        longest[i][j] = mine[i] === others[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    for (let i = 0, j = 0; i < mine.length && j < others.length; )
      if (mine[i] === others[j]) [flags[begins + i], i, j] = [true, i + 1, j + 1];
      else if (longest[i + 1][j] >= longest[i][j + 1]) i += 1;
      else j += 1;
    return flags;
  };

  // Stretches of a text with whether they are new; a blank is new between new words.
  const stretches = (text, other) => {
    const here = words(text).filter((word) => word.trim());
    const flags = kept(here, words(other).filter((word) => word.trim()));
    const found = [];
    let at = -1;
    for (const word of words(text)) {
      if (word.trim()) at += 1;
      const isNew = word.trim() ? !flags[at] : found.at(-1)?.isNew && at + 1 < flags.length && !flags[at + 1] && !word.includes("\n");
      if (found.at(-1)?.isNew === Boolean(isNew)) found.at(-1).text += word;
      else found.push({ text: word, isNew: Boolean(isNew) });
    }
    return found;
  };

  const draw = (textarea, known, variables) => {
    const names = namesIn(filled(textarea));
    const ink = textarea.previousElementSibling ?? textarea.parentElement.insertBefore(document.createElement("pre"), textarea);
    ink.className = "template-ink";
    ink.ariaHidden = "true";
    ink.replaceChildren();
    const other = before(textarea);
    const parts = other === null ? [{ text: textarea.value, isNew: false }] : stretches(textarea.value, other);
    for (const { text, isNew } of parts) {
      const holder = isNew ? Object.assign(document.createElement("span"), { className: "new-words" }) : ink;
      if (isNew) ink.append(holder);
      holder.append(...marked(text, names, known, variables));
    }
    ink.append("\n");
  };

  const list = (variables, known) => [...variables].flatMap((variable, number) => [
    number ? " · " : "",
    mark(variable, variable, known),
    known ? ` ${WORDS[part(variable, known)]}` : "",
  ]);

  const drawAll = () => {
    const known = columns();
    const variables = new Set();
    form.querySelectorAll("textarea.template-text").forEach((textarea) => draw(textarea, known, variables));
    const told = variables.size ? list(variables, known) : ["none"];
    if (form.querySelector("[data-open]")) told.push(" · a {{ is not closed");
    form.querySelector("[data-variables]")?.replaceChildren(...told);
  };

  // An answer to what a column said before fades.
  const fade = (column) => column && form.querySelectorAll(`.bench-cell[data-column="${column.dataset.column}"]`).forEach((cell) => { cell.dataset.stale = ""; });

  form.addEventListener("input", ({ target }) => {
    if (target.matches(".template-text")) {
      drawAll();
      document.querySelector("#preview")?.toggleAttribute("data-stale", true); // it shows the text of before
    }
    fade(target.closest(".bench-column"));
  });
  form.addEventListener("change", ({ target }) => {
    if (target.matches("[name=dataset]")) (form.querySelector("[data-shows]") ?? form.querySelector("[hx-post]"))?.click();
  });
  // Who leaves before the draft was stored loses nothing: the browser sends it after the page has gone, up to 64 KB.
  const keeps = form.querySelector("[data-keeps]");
  let unsent = 0;
  let underWay = 0;
  form.addEventListener("input", () => { unsent += 1; });
  keeps?.addEventListener("htmx:beforeRequest", () => { underWay = unsent; });
  keeps?.addEventListener("htmx:afterRequest", ({ detail }) => { if (detail.successful) unsent -= underWay; });
  document.addEventListener("submit", () => { unsent = 0; });
  addEventListener("pagehide", () => {
    if (!keeps || !unsent) return;
    unsent = 0;
    const body = new URLSearchParams(new FormData(form));
    body.set("do", "draft");
    const keepalive = `${body}`.length < 60000;
    fetch(keeps.getAttribute("hx-post"), { method: "POST", body, keepalive, headers: { "HX-Request": "true" } });
  });
  // Also where nothing has the focus, as on a page that has just come.
  document.addEventListener("keydown", (event) => {
    if (event.target !== document.body && !form.contains(event.target)) return;
    if (event.key === "Escape") return document.querySelector("[data-stop]")?.click();
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    document.querySelector("[data-run]")?.click();
  });
  document.addEventListener("htmx:afterSettle", drawAll);
  drawAll();
})();
