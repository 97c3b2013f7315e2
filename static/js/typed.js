// What was typed in a form and not saved comes back: after a reload, after a page that failed, and after signing in
// again. It stays in this tab and is for the same person alone; a saved form is forgotten.
(() => {
  const person = document.querySelector("[data-person]")?.dataset.person ?? "";
  const KEY = `typed:${location.pathname}${location.search}`;
  const SENT = "typed-sent";
  const UNTYPED = ["hidden", "password", "file", "submit", "button", "reset", "search"];
  const SEEN = ["seen", "newest", "hash"]; // what the page showed when it was typed, so that a conflict is noticed
  const isTyped = ({ name, type }) => name && (SEEN.includes(name) || !UNTYPED.includes(type));
  const fieldsOf = (form) => [...form.elements].filter(isTyped);
  const states = (form) => fieldsOf(form).map(({ name, value, checked = false, multiple, selectedOptions }) => ({
    name, value, checked, chosen: multiple && selectedOptions ? [...selectedOptions].map((option) => option.value) : null,
  }));
  // Forms of one button have nothing to lose; a rater's note is kept below, with its lease.
  const forms = () => [...document.querySelectorAll("main form[method=post]:not([data-once])")].filter((form) => fieldsOf(form).length);
  const read = (key) => JSON.parse(sessionStorage.getItem(key) ?? "null");

  const write = (key, value) => {
    try { sessionStorage.setItem(key, JSON.stringify(value)); } catch { sessionStorage.removeItem(key); } // too large
  };

  const keep = (form) => {
    const number = forms().indexOf(form);
    if (!person || number < 0) return false;
    write(KEY, { person, number, fields: states(form), html: form.innerHTML });
    return true;
  };

  let waiting = 0;
  for (const kind of ["input", "change"]) document.addEventListener(kind, ({ target }) => {
    clearTimeout(waiting);
    // The server keeps drafts of prompts.
    waiting = setTimeout(() => target.form && !target.form.matches("[data-drafted]") && keep(target.form), 300);
  });
  document.addEventListener("htmx:afterSettle", ({ target }) => {
    const form = target.closest?.("form");
    if (form && !form.matches("[data-drafted]") && read(KEY)) keep(form); // a row was added
  });
  document.addEventListener("submit", ({ target: form }) => {
    clearTimeout(waiting);
    if (keep(form)) write(SENT, { key: KEY, person });
  });

  // Refused or not arrived: it is not saved.
  for (const kind of ["htmx:responseError", "htmx:sendError"]) document.addEventListener(kind, () => sessionStorage.removeItem(SENT));

  const say = (text) => {
    const notice = document.getElementById("typed-before");
    notice.querySelector("p").textContent = text;
    notice.querySelector("a").addEventListener("click", () => sessionStorage.removeItem(KEY));
    notice.hidden = false;
  };

  const fill = (form, fields) => {
    const left = [...fields];
    for (const field of fieldsOf(form)) {
      const place = left.findIndex(({ name, value }) => name === field.name && (!["checkbox", "radio"].includes(field.type) || value === field.value));
      if (place < 0) continue;
      const [{ value, checked, chosen }] = left.splice(place, 1);
      if (["checkbox", "radio"].includes(field.type)) field.checked = checked;
      else if (chosen) [...field.options].forEach((option) => { option.selected = chosen.includes(option.value); });
      else if (field.tagName !== "SELECT" || [...field.options].some((option) => option.value === value)) field.value = value;
    }
  };

  // Rows that were added in the browser are not on a page that was drawn anew: the form comes back as it was.
  const redraw = (form, html) => {
    const secret = form.querySelector("[name=csrfmiddlewaretoken]")?.value;
    const kept = new DOMParser().parseFromString(html, "text/html");
    form.replaceChildren(...kept.body.childNodes);
    const field = form.querySelector("[name=csrfmiddlewaretoken]");
    if (field) field.value = secret;
    window.htmx?.process(form);
  };

  const bringBack = ({ number, fields, html }, { wasSignedOut, wasRefused } = {}) => {
    const form = forms()[number];
    if (!form || (form.matches("[data-drafted]") && !wasSignedOut && !wasRefused)) return;
    if (JSON.stringify(states(form)) === JSON.stringify(fields)) return;
    if (fieldsOf(form).map(({ name }) => name).join() !== fields.map(({ name }) => name).join()) redraw(form, html);
    fill(form, fields);
    const lacksFile = form.querySelector("input[type=file]") ? " Choose the file again: a browser gives none back." : "";
    say((wasSignedOut ? "You were signed out. What you typed is here again" : "What you typed before is here again") + ", and not saved yet." + lacksFile);
  };

  // A rater may have no account; nobody else has the lease of the item.
  const note = document.querySelector("form[data-once] [name=note]");
  const leased = note && `note:${note.form.elements.lease.value}`;
  if (note && !note.value) note.value = read(leased) ?? "";
  note?.addEventListener("input", () => write(leased, note.value));

  const sent = read(SENT);
  // A page that says why not: nothing was saved, wherever one goes from here.
  if (document.querySelector("[data-refused]")) return sent && write(SENT, { ...sent, wasRefused: true });
  if (!person) {
    if (sent) write(SENT, { ...sent, wasSignedOut: true });
    return;
  }
  sessionStorage.removeItem(SENT);
  const came = performance.getEntriesByType("navigation")[0]?.type;
  const isSaved = sent && !sent.wasSignedOut && !sent.wasRefused && (sent.key !== KEY || came === "navigate");
  if (isSaved || sent && sent.person !== person) sessionStorage.removeItem(sent.key);
  const kept = read(KEY);
  if (!kept) return;
  if (kept.person !== person) return sessionStorage.removeItem(KEY);
  bringBack(kept, sent ?? {});
})();
