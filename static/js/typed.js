// What was typed in a form and not saved comes back: after a reload, after a page that failed, and after signing in
// again. It stays in this tab and is for the same person alone; a saved form is forgotten.
(() => {
  const person = document.querySelector("[data-person]")?.dataset.person ?? "";
  const keyOf = () => `typed:${location.pathname}${location.search}`; // htmx changes the address: an opened row is in it
  const SENT = "typed-sent";
  const UNTYPED = ["hidden", "password", "file", "submit", "button", "reset", "search"];
  // What the page showed when it was typed, so that a conflict is noticed; and the dataset that chose the evaluators.
  const SEEN = ["seen", "newest", "hash", "advised_for"];
  const isBox = ({ type }) => ["checkbox", "radio"].includes(type);
  const isTyped = ({ name, type }) => name && (SEEN.includes(name) || !UNTYPED.includes(type));
  const fieldsOf = (form) => [...form.elements].filter(isTyped);
  const states = (form) => fieldsOf(form).map(({ name, type, value, checked = false, multiple, selectedOptions }) => ({
    name, type, value, checked, chosen: multiple && selectedOptions ? [...selectedOptions].map((option) => option.value) : null,
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
    write(keyOf(), { person, number, fields: states(form), html: form.innerHTML });
    return true;
  };

  let waiting = 0;
  let typedIn = null; // and not kept yet; a draft may reach the server after the page was asked for again
  for (const kind of ["input", "change"]) document.addEventListener(kind, ({ target }) => {
    clearTimeout(waiting);
    typedIn = target.form;
    // The server keeps drafts of prompts.
    if (typedIn && !typedIn.matches("[data-drafted]")) waiting = setTimeout(() => { keep(target.form); typedIn = null; }, 300);
  });
  addEventListener("pagehide", () => {
    clearTimeout(waiting);
    const isDraft = typedIn?.matches("[data-drafted]");
    if (typedIn?.isConnected && keep(typedIn) && isDraft) write(keyOf(), { ...read(keyOf()), isLost: true, isForReload: true });
  });
  document.addEventListener("htmx:afterSettle", ({ target }) => {
    const form = target.closest?.("form");
    const before = shownAt;
    shownAt = keyOf();
    if (form && !form.matches("[data-drafted]")) {
      if (!read(before) || !keep(form)) return; // a row was added
      if (before !== shownAt && target === form) sessionStorage.removeItem(before);
    } else if (before !== shownAt) arrive();
  });
  document.addEventListener("submit", ({ target: form }) => {
    clearTimeout(waiting);
    typedIn = null;
    if (keep(form)) write(SENT, { key: keyOf(), person, makes: form.matches("[data-makes]") });
  });

  // Sent by htmx and redirected: it is saved, without a new page that would find out.
  document.addEventListener("htmx:beforeOnLoad", ({ detail: { xhr, requestConfig } }) => {
    const sent = read(SENT);
    if (!sent || requestConfig.triggeringEvent?.type !== "submit" || xhr.status >= 400 || !xhr.responseURL) return;
    if (new URL(xhr.responseURL).pathname === new URL(requestConfig.path, location.href).pathname) return;
    for (const key of [sent.key, SENT]) sessionStorage.removeItem(key);
    unsay();
  });

  // Refused or not arrived: it is not saved. An estimate or a preview that fails meanwhile says nothing about that.
  for (const kind of ["htmx:responseError", "htmx:sendError"]) document.addEventListener(kind, ({ detail: { requestConfig } }) => {
    if (requestConfig?.triggeringEvent?.type === "submit") sessionStorage.removeItem(SENT);
  });

  // A form with typed text asks before it leaves its page whether one is still signed in; else it stays where it is.
  // A server that does not say so soon is not waited for.
  const changed = new WeakSet();
  const asked = new WeakMap();
  for (const kind of ["input", "change"]) document.addEventListener(kind, ({ target }) => { if (target.form) changed.add(target.form); });
  const isSignedOut = () => fetch(document.querySelector("[data-signed-in]").dataset.signedIn, { redirect: "manual", signal: AbortSignal.timeout(3000) })
    .then(({ type }) => type === "opaqueredirect", () => false);
  document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    // htmx stays on the page by itself
    const isOwn = form.matches("main form[method=post]:not([hx-post]:not([hx-trigger]))") && form.closest("[hx-boost]")?.getAttribute("hx-boost") !== "true";
    if (!person || !isOwn || !changed.has(form) || asked.get(form) === "yes") return asked.delete(form);
    event.preventDefault();
    event.stopImmediatePropagation();
    if (asked.get(form)) return undefined;
    asked.set(form, "asking");
    const number = forms().indexOf(form);
    const isOut = await isSignedOut();
    asked.delete(form);
    return isOut ? document.dispatchEvent(new Event("signed-out")) : send(form.isConnected ? form : forms()[number], submitter);
  }, true);
  // A part that came anew meanwhile has its form or its button anew.
  const send = (form, pressed) => {
    if (!form) return;
    const isSame = ({ type, name, value }) => type === pressed?.type && name === pressed.name && value === pressed.value;
    asked.set(form, "yes");
    form.requestSubmit(pressed?.form === form ? pressed : [...form.elements].find(isSame));
  };

  const say = (text) => {
    const notice = document.getElementById("typed-before");
    notice.querySelector("p").textContent = text;
    notice.querySelector("a").onclick = () => sessionStorage.removeItem(keyOf());
    notice.hidden = false;
  };

  const unsay = () => {
    const notice = document.getElementById("typed-before");
    if (notice) notice.hidden = true;
  };

  const fill = (form, fields) => {
    const left = [...fields];
    for (const field of fieldsOf(form)) {
      const place = left.findIndex(({ name, value }) => name === field.name && (!isBox(field) || value === field.value));
      if (place < 0) continue;
      const [{ value, checked, chosen }] = left.splice(place, 1);
      if (isBox(field)) field.checked = checked;
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

  // Whether a chosen value is not on this page, because rows or options belonged to another choice.
  const lacks = (form, fields) => {
    const now = fieldsOf(form);
    if (now.map(({ name }) => name).join() !== fields.map(({ name }) => name).join()) return true;
    return fields.some(({ name, type, value, checked, chosen }) => {
      const named = now.filter((field) => field.name === name);
      const options = named.flatMap((field) => [...field.options ?? []]).map((option) => option.value);
      if (type?.startsWith("select")) return (chosen ?? [value]).some((one) => !options.includes(one));
      return checked && isBox({ type }) && !named.some((field) => field.value === value);
    });
  };

  // What the page computes from these fields (an estimate, a preview, what the evaluators are) is computed again.
  const recompute = (form, drawn) => {
    const left = [...drawn];
    const differing = fieldsOf(form).filter((field) => {
      const place = left.findIndex(({ name, value }) => name === field.name && (!isBox(field) || value === field.value));
      if (place < 0) return true;
      const [{ value, checked, chosen }] = left.splice(place, 1);
      if (isBox(field)) return checked !== field.checked;
      return chosen ? [...field.selectedOptions].map((option) => option.value).join() !== chosen.join() : value !== field.value;
    });
    // The experiment of a gate has drawn the rest of the form, unless the answer had not come.
    const isDrawn = (field) => field.value === form.elements.namedItem(`shown_${field.name}`)?.value;
    for (const field of differing.filter((field) => field.type !== "hidden" && !isDrawn(field)))
      for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
  };

  const bringBack = ({ isLost, isForReload, ...kept }, { wasSignedOut, wasRefused } = {}) => {
    const { number, fields, html } = kept;
    const form = forms()[number];
    if (!form || (form.matches("[data-drafted]") && !wasSignedOut && !wasRefused && !isLost)) return;
    if (isLost) write(keyOf(), kept); // once: the server keeps the draft from here on
    const drawn = states(form);
    if (JSON.stringify(drawn) === JSON.stringify(fields)) return;
    if (lacks(form, fields)) redraw(form, html);
    fill(form, fields);
    // htmx listens when the document is complete.
    if (document.readyState === "complete" || isComplete) recompute(form, drawn);
    else document.addEventListener("DOMContentLoaded", () => recompute(form, drawn));
    const lacksFile = form.querySelector("input[type=file]") ? " Choose the file again: a browser gives none back." : "";
    say((wasSignedOut ? "You were signed out. What you typed is here again" : "What you typed before is here again") + ", and not saved yet." + lacksFile);
  };

  // A form that made something is done: Back from what it made leads to where one came from.
  const made = (key = keyOf()) => key.replace("typed:", "made:");
  const skip = () => {
    if (!sessionStorage.getItem(made())) return;
    sessionStorage.removeItem(made());
    history.back();
  };
  addEventListener("pageshow", ({ persisted }) => persisted && skip());

  let shownAt = keyOf();
  let isComplete = false;
  document.addEventListener("DOMContentLoaded", () => { isComplete = true; });

  // At a new address, also one that htmx opened.
  function arrive(sent = {}) {
    const kept = person && read(shownAt);
    unsay();
    if (!kept) return;
    if (kept.person !== person) sessionStorage.removeItem(shownAt);
    else bringBack(kept, sent);
  }

  // A rater may have no account; nobody else has the lease of the item.
  const note = document.querySelector("form[data-once] [name=note]");
  const lease = note?.form.elements.lease;
  const leased = lease && `note:${lease.value}`;
  if (lease && !note.value) note.value = read(leased) ?? "";
  if (lease) note.addEventListener("input", () => write(leased, note.value));

  const sent = read(SENT);
  // Nothing was saved, wherever one goes from here; a draft on the server may lack what was typed.
  const lost = (why) => {
    const kept = read(sent.key);
    write(SENT, { ...sent, ...why });
    if (kept) write(sent.key, { ...kept, isLost: true });
  };
  // A page that says why not.
  if (document.querySelector("[data-refused]")) return sent && lost({ wasRefused: true });
  if (!person) {
    if (!sent) return;
    lost({ wasSignedOut: true });
    const notice = document.getElementById("signed-out");
    if (notice && read(sent.key)) notice.hidden = false;
    return;
  }
  sessionStorage.removeItem(SENT);
  const came = performance.getEntriesByType("navigation")[0]?.type;
  const isSaved = sent && !sent.wasSignedOut && !sent.wasRefused && (sent.key !== keyOf() || came === "navigate");
  if (isSaved || sent && sent.person !== person) sessionStorage.removeItem(sent.key);
  if (isSaved && sent.makes && sent.key !== keyOf()) sessionStorage.setItem(made(sent.key), "yes");
  if (came !== "reload" && read(keyOf())?.isForReload) sessionStorage.removeItem(keyOf()); // the draft may be newer
  if (came === "back_forward") skip();
  else sessionStorage.removeItem(made());
  arrive(sent ?? {});
})();
