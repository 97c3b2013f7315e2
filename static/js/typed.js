// What was typed in a form that led to signing in comes back on its page, in this tab and for the same person alone.
(() => {
  const KEPT = "typed";
  const person = document.querySelector("[data-person]")?.dataset.person ?? "";
  const isTyped = ({ name, type, tagName }) => name && (tagName === "TEXTAREA" || tagName === "SELECT" || ["text", "checkbox", "radio"].includes(type));
  const typed = (form) => [...form.elements].filter(isTyped);

  document.addEventListener("submit", ({ target: form }) => {
    if (!person || form.method !== "post" || !form.closest("main")?.contains(form.querySelector("textarea, [type=text]"))) return;
    const fields = typed(form).map(({ name, value, checked }) => ({ name, value, checked }));
    sessionStorage.setItem(KEPT, JSON.stringify({ address: location.pathname, person, fields }));
  });

  const isLike = (form, fields) => {
    const here = typed(form);
    return here.length === fields.length && here.every(({ name }, number) => name === fields[number].name);
  };

  const bringBack = ({ fields }) => {
    const form = [...document.querySelectorAll("main form[method=post]")].find((candidate) => isLike(candidate, fields));
    if (!form) return;
    typed(form).forEach((field, number) => Object.assign(field, { value: fields[number].value, checked: fields[number].checked }));
    const notice = document.getElementById("trouble");
    notice.querySelector("p").textContent = "You were signed out. What you typed is here again, and not saved yet.";
    notice.hidden = false;
  };

  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  if (!kept) return;
  if (!person) return sessionStorage.setItem(KEPT, JSON.stringify({ ...kept, wasSignedOut: true }));
  sessionStorage.removeItem(KEPT);
  if (kept.wasSignedOut && kept.person === person && kept.address === location.pathname) bringBack(kept);
})();
