// What every page needs: copy buttons, filters that apply themselves, polite polling, focus after a swap.
(() => {
  const say = (text) => { document.getElementById("said").textContent = text; };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy], [data-copy-of]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copyOf);
    const text = source ? source.value ?? source.textContent : button.dataset.copy;
    // Pages without TLS have no clipboard, but most browsers still copy what is selected.
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false) || copySelected(text, button);
    if (!copied) return selectToCopy(text, source, button);
    say("Copied");
    button.dataset.done = "";
    setTimeout(() => delete button.dataset.done, 1500);
  });

  // The title of a time is the moment in UTC; whoever points at it also reads it on the clock of the browser.
  document.addEventListener("mouseover", ({ target }) => {
    const time = target.closest("time[datetime][title]:not([data-local])");
    if (!time) return;
    const here = new Date(time.dateTime).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "long" });
    time.dataset.local = "";
    time.title = `${here} (${time.title})`;
  });

  // A name among those that a field can have, pressed, stands where the cursor was.
  document.addEventListener("click", ({ target }) => {
    const chip = target.closest("[data-insert]");
    const field = chip && document.getElementById(chip.dataset.into);
    if (!field) return;
    field.setRangeText(chip.dataset.insert, field.selectionStart, field.selectionEnd, "end");
    field.focus();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });

  // A long list of choices has a field that leaves those with these words in it; Enter takes the first.
  for (const select of document.querySelectorAll("select[data-find]")) {
    const every = [...select.options];
    if (every.length < 20) continue;
    const field = Object.assign(document.createElement("input"), { type: "search", className: "input", placeholder: select.dataset.find });
    field.setAttribute("aria-label", select.dataset.find);
    field.setAttribute("autocomplete", "off");
    const found = () => every.filter(({ text }) => field.value.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word)));
    field.addEventListener("input", (event) => {
      event.stopPropagation();
      const shown = found();
      select.replaceChildren(...every.filter((option) => option.selected || shown.includes(option)));
      say(`${shown.length} found`);
    });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      const [first] = found();
      if (!first) return;
      field.value = "";
      select.replaceChildren(...every);
      select.value = first.value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
      select.focus();
    });
    select.before(field);
  }

  // Saving is the main act once something changed.
  document.addEventListener("input", ({ target }) => {
    target.form?.querySelector("[data-main-once-changed]")?.classList.add("button-main");
  });

  // Beside the button, for in a dialog the focus cannot leave it.
  const fieldWith = (text, button) => {
    const field = document.createElement("textarea");
    field.value = text;
    field.readOnly = true;
    field.className = "copied";
    field.setAttribute("aria-label", "Text to copy");
    button.after(field);
    field.select();
    return field;
  };

  const copySelected = (text, button) => {
    const field = fieldWith(text, button);
    try { return document.execCommand("copy"); } catch { return false; } finally { field.remove(); button.focus(); }
  };

  const selectToCopy = (text, source, button) => {
    const how = `Press ${navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl"}+C to copy the selected text`;
    say(how);
    const note = document.createElement("span");
    note.className = "copy-note";
    note.textContent = how;
    button.after(note);
    if (source) getSelection().selectAllChildren(source);
    const field = source ? null : fieldWith(text, button);
    setTimeout(() => { note.remove(); field?.remove(); }, 15000);
  };

  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-apply]");
    if (form && event.target.matches("select, [type=checkbox], [type=radio]")) form.requestSubmit();
    const count = event.target.form?.querySelector("output[data-ticked]");
    if (count) count.value = `${[...event.target.form.elements].filter(({ checked }) => checked).length} selected`;
  });

  // The bar with the button says what is chosen further up.
  const chosen = () => document.querySelectorAll("form [data-chosen]").forEach((bar) => {
    const name = ({ value }) => bar.closest("form").querySelector(`[name=evaluators][value="${CSS.escape(value)}"]`)?.nextElementSibling.textContent.trim();
    const all = [...bar.closest("form").querySelectorAll("[name=evaluators]:checked")];
    const primary = bar.closest("form").querySelector("[name=primary]:checked")?.value;
    const first = all.filter(({ value }) => value === primary), others = all.filter(({ value }) => value !== primary);
    bar.textContent = [...first.map((one) => `${name(one)}, primary`), ...others.map(name)].join(" · ") || bar.dataset.own || "";
  });
  document.addEventListener("change", ({ target }) => { if (/^(evaluators|primary)$/.test(target.name)) setTimeout(chosen); });
  document.addEventListener("htmx:afterSettle", chosen);
  chosen();

  // A row that lights up under the mouse opens wherever it is pressed, unless a text is being marked.
  document.addEventListener("click", ({ target }) => {
    if (target.closest("a, button, input, label, summary") || !getSelection().isCollapsed) return;
    target.closest("tr[data-row]")?.querySelector("a.id")?.click();
  });

  // Texts of a million examples take a few seconds; whoever waits is told what for.
  let searching = 0;
  const found = () => {
    clearTimeout(searching);
    document.querySelector("form[data-searching]")?.removeAttribute("data-searching");
  };
  document.addEventListener("submit", ({ target: form }) => {
    if (!form.querySelector("[type=search]")?.value) return;
    searching = setTimeout(() => { form.dataset.searching = ""; say("Searching"); }, 700);
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => { if (detail.elt.matches("form")) found(); });
  addEventListener("pageshow", found);

  // One answer for one item: a second press waits for the next page, also after Back. Other forms can be sent again
  // after a moment, for what they ask may be a file.
  document.addEventListener("submit", (event) => {
    const { target: form } = event;
    if (event.defaultPrevented || form.method !== "post") return;
    if ("sent" in form.dataset) return event.preventDefault();
    form.dataset.sent = "";
    if (!("once" in form.dataset)) setTimeout(() => delete form.dataset.sent, 1500);
  });
  addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent));

  // Back leads to what an address shows: its choices, not those made before leaving.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted && performance.getEntriesByType("navigation")[0]?.type !== "back_forward") return;
    for (const form of document.querySelectorAll("form[method=get]")) form.reset();
  });

  // A form that was refused begins at its first wrong field, however far below the button it is.
  document.querySelector("main :is(input, select, textarea)[aria-invalid=true]")?.focus();

  // Opened or closed once, a part stays so on the next item. One that was read is closed on a phone.
  const narrow = matchMedia("(width < 46rem)").matches;
  for (const part of document.querySelectorAll("details[data-remember]")) {
    const stored = `evalsite.open.${part.dataset.remember}`;
    const isOpen = part.open && !(narrow && "read" in part.dataset);
    part.open = (localStorage.getItem(stored) ?? (isOpen ? "yes" : "no")) === "yes";
    part.addEventListener("toggle", () => localStorage.setItem(stored, part.open ? "yes" : "no"));
  }

  // A hidden tab asks twice a minute, whatever its trigger says. Remembered by address, for a swap replaces the element.
  const asked = new Map();
  let signedOut = false;
  const isPolled = (element) => Boolean(element.getAttribute("hx-trigger")?.includes("every"));
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt, pathInfo } = event.detail;
    if (!isPolled(elt)) return;
    const address = pathInfo.requestPath;
    if ((document.hidden || signedOut) && Date.now() - (asked.get(address) ?? 0) < 30000) event.preventDefault();
    else asked.set(address, Date.now());
  });

  // A button that is pressed just now is not replaced, for its click would be lost, nor a menu that is open: the part
  // asks again soon.
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const { elt } = detail.requestConfig;
    if (isPolled(elt) && elt.querySelector(":is(a, button, summary):active, :popover-open")) detail.shouldSwap = false;
  });

  // What is typed while an answer is on its way stays, although the answer draws its field anew.
  const typedAt = new WeakMap();
  const askedAt = new WeakMap();
  let since = Infinity;
  let typed = [];
  const sameNamed = (field, part) => [...part.querySelectorAll("input, select, textarea")].filter(({ name }) => name === field.name);
  const keepTyped = (part) => {
    const fields = [...part.querySelectorAll("input:not([type=checkbox], [type=radio], [type=file]), select, textarea")];
    for (const field of fields.filter((one) => one.name && typedAt.get(one) > since))
      typed.push({ field, id: part.id, place: sameNamed(field, part).indexOf(field) });
  };
  const putBack = () => {
    for (const { field, id, place } of typed) {
      const part = id && document.getElementById(id);
      const drawn = part && sameNamed(field, part)[place];
      if (!drawn || drawn === field || drawn.value === field.value || drawn.matches("select") && ![...drawn.options].some(({ value }) => value === field.value)) continue;
      drawn.value = field.value;
      drawn.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };
  document.addEventListener("input", ({ target }) => typedAt.set(target, performance.now()), true);
  document.addEventListener("htmx:beforeRequest", ({ detail }) => askedAt.set(detail.xhr, performance.now()));
  // A part that somebody asked for is busy until it is there; one that asks by itself each second is not.
  document.addEventListener("htmx:beforeRequest", ({ detail: { target, requestConfig } }) => {
    if (requestConfig.triggeringEvent) target.ariaBusy = "true";
  });
  for (const kind of ["htmx:afterRequest", "htmx:afterSettle"]) document.addEventListener(kind, ({ detail: { target } }) => target?.removeAttribute("aria-busy"));
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    since = askedAt.get(detail.xhr) ?? Infinity;
    typed = [];
    keepTyped(detail.target);
  });
  document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => keepTyped(detail.target));
  for (const kind of ["htmx:afterSwap", "htmx:oobAfterSwap"]) document.addEventListener(kind, putBack);

  // Reload would lose what was typed and not sent, so it is offered only as long as no field was changed.
  let isTyped = false;
  document.addEventListener("input", ({ target }) => { isTyped ||= Boolean(target.closest("main form[method=post]")); });
  document.addEventListener("submit", () => { isTyped = false; });
  const trouble = (text) => {
    const notice = document.getElementById("trouble");
    if (!notice) return;
    notice.hidden = !text;
    notice.querySelector("p").textContent = text && isTyped ? `${text} What you typed stays here.` : text;
    notice.querySelector("[target]").hidden = !signedOut;
    notice.querySelector("[href='']").hidden = signedOut || isTyped;
  };
  document.addEventListener("htmx:sendError", () => trouble("The server does not respond. This page might be out of date."));
  document.addEventListener("htmx:responseError", async ({ detail: { xhr: { status }, requestConfig } }) => {
    signedOut = status === 401;
    if (!isPolled(requestConfig.elt)) refused = requestConfig;
    if (status === 403 && !isAskedAgain && await renew()) return;
    trouble(signedOut ? "You are signed out." : `The server refused the request (${status}). This page might be out of date.`);
  });
  document.addEventListener("signed-out", () => {
    signedOut = isTyped = true;
    trouble("You are signed out.");
  });
  document.addEventListener("htmx:afterOnLoad", (event) => { if (event.detail.successful !== false) { signedOut = isAskedAgain = false; refused = null; trouble(""); } });

  // Signing in makes new tokens for forms. A page takes them when one comes back to it, from another tab or another
  // window, and when its own were refused, if the same person signed in; what was refused is then asked once more.
  let refused = null;
  let isAskedAgain = false;
  let renewal = null; // what is refused meanwhile waits for the one that is under way
  const renew = () => renewal ??= renewed().finally(() => { renewal = null; });
  const renewed = async () => {
    const answer = await fetch(location.href).catch(() => null);
    const page = new DOMParser().parseFromString(await answer?.text() ?? "", "text/html");
    const person = (of) => of.querySelector("[data-person]")?.dataset.person;
    const headers = page.body.getAttribute("hx-headers");
    if (!headers || !person(page) || person(page) !== person(document)) return false;
    document.body.setAttribute("hx-headers", headers);
    for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = JSON.parse(headers)["X-CSRFToken"];
    signedOut = false;
    trouble("");
    if (!refused?.elt.isConnected) return true;
    const { verb, path, elt, target } = refused;
    refused = null;
    isAskedAgain = true;
    htmx.ajax(verb, path, { source: elt, target });
    return true;
  };
  document.addEventListener("visibilitychange", () => signedOut && !document.hidden && renew());
  addEventListener("focus", () => signedOut && renew());

  // On a phone the list of rooms scrolls, and so do tabs; the present one is in sight.
  for (const here of document.querySelectorAll(":is(.nav, .tabs) [aria-current]")) here.scrollIntoView({ block: "nearest", inline: "nearest" });

  // A link to a row shows that row, unless there is something to be told above it.
  if (location.search.includes("row=") && !document.querySelector(".messages > *")) document.querySelector("tr[aria-selected=true]")?.scrollIntoView({ block: "center" });

  // A part that comes anew keeps the focus, and so does the same page when it is loaded again, as by a link that sorts:
  // it goes to what has the same id or name, is called the same, or leads to the same address; from a closed drawer to its
  // row, from a closed menu to its button, and else to the part itself.
  const marks = (element) => [
    element.id && !element.id.startsWith("id_") && element.id,
    element.name && `${element.name}=${["radio", "checkbox", "submit"].includes(element.type) ? element.value : ""}`,
    (element.getAttribute("aria-label") ?? element.textContent).replace(/\d+/g, "").trim(),
    element.closest(".drawer") ? null : element.getAttribute("href"),
  ];
  const described = () => {
    const element = document.activeElement;
    if (!element?.closest("main") || !element.matches("a, button, input, select, summary")) return null;
    const row = element.closest(".drawer") && new URLSearchParams(location.search).get("row");
    // A menu of ticks that apply at once stays open for the next one.
    const isIn = element.type === "checkbox" && Boolean(element.closest("form[data-apply] [popover]:popover-open"));
    return { tag: element.tagName, marks: marks(element), row, isIn };
  };
  const focusLike = ({ tag, marks: sought, row, isIn }, part) => {
    const all = [...(part ?? document.querySelector("main")).querySelectorAll(tag)].map((element) => [element, marks(element)]);
    const like = (mark, k) => mark && all.filter(([, known]) => known[k] === mark);
    const alike = sought.map(like).find((some) => some?.length) ?? [];
    const [found] = alike.find(([, known]) => known[3] === sought[3]) ?? alike[0] ?? [];
    const buttonOf = (menu) => document.querySelector(`[popovertarget="${menu.id}"]`);
    const closed = () => found?.closest("[popover]:not(:popover-open)");
    // Its button opens it, as the menu has its place below what opened it.
    if (isIn && closed()) buttonOf(closed()).click();
    const menu = closed();
    const near = menu ? buttonOf(menu) : found ?? (row && document.querySelector(`tbody a[href*="row=${row}"]`));
    near?.focus({ preventScroll: true });
    return near;
  };
  let left = null;
  document.addEventListener("htmx:beforeSwap", ({ target }) => {
    const focused = target.contains?.(document.activeElement) && described();
    left = focused ? { ...focused, id: target.id } : null;
  });
  // Smaller parts that come with it settle before it.
  document.addEventListener("htmx:afterSettle", ({ target: part }) => {
    if (!left || part.id !== left.id) return;
    if (document.activeElement === document.body && !focusLike(left, part)) {
      part.tabIndex = -1;
      part.focus({ preventScroll: true });
    }
    left = null;
  });
  addEventListener("pagehide", () => {
    const focused = described();
    if (focused) sessionStorage.setItem("focused", JSON.stringify({ ...focused, path: location.pathname }));
    else sessionStorage.removeItem("focused");
  });
  const before = JSON.parse(sessionStorage.getItem("focused") ?? "null");
  if (before?.path === location.pathname && !location.hash && document.activeElement === document.body) focusLike(before);
})();
