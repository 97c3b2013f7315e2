// The editor of prompts: variables are marked while they are typed. evaluations/prompts/templates.py has the rules.
(() => {
  const form = document.getElementById("prompt");
  const VARIABLE = /(\\?)\{\{[ \t]*([^{}\n]*?)[ \t]*\}\}/g;
  const WORDS = { inputs: "column", metadata: "metadata", reference: "reference, never sent", "": "not a column" };
  const columns = () => JSON.parse(document.getElementById("preview").dataset.columns);

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
    if (textarea.closest("fieldset").querySelector("[name=as]").value !== "json") return textarea.value;
    try {
      return JSON.stringify(JSON.parse(textarea.value).content) ?? "";
    } catch {
      return textarea.value; // It is not yet JSON.
    }
  };

  const namesIn = (text) => new Set([...text.matchAll(VARIABLE)].filter((found) => !found[1]).map((found) => found[2]));

  const draw = (textarea, known, variables) => {
    const names = namesIn(filled(textarea));
    const ink = textarea.previousElementSibling ?? textarea.parentElement.insertBefore(document.createElement("pre"), textarea);
    ink.className = "template-ink";
    ink.ariaHidden = "true";
    ink.replaceChildren();
    let end = 0;
    for (const found of textarea.value.matchAll(VARIABLE)) {
      if (found[1] || !names.has(found[2])) continue;
      variables.add(found[2]);
      ink.append(textarea.value.slice(end, found.index), mark(found[2], found[0], known));
      end = found.index + found[0].length;
    }
    ink.append(textarea.value.slice(end), "\n");
  };

  const list = (variables, known) => [...variables].flatMap((variable, number) => [
    number ? " · " : "",
    mark(variable, variable, known),
    known ? ` ${WORDS[part(variable, known)]}` : "",
  ]);

  const drawAll = () => {
    const known = columns();
    const variables = new Set();
    form.querySelectorAll("textarea[name=content]").forEach((textarea) => draw(textarea, known, variables));
    form.querySelector("[data-variables]").replaceChildren(...(variables.size ? list(variables, known) : ["none"]));
  };

  form.addEventListener("input", ({ target }) => { if (target.matches("[name=content]")) drawAll(); });
  form.addEventListener("change", ({ target }) => { if (target.matches("[name=dataset]")) form.querySelector("[hx-post]")?.click(); });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.querySelector("[data-run]")?.click();
  });
  document.addEventListener("htmx:afterSettle", drawAll);
  drawAll();
})();
