// Asks the browser for a passkey, or to make one, and sends it with the form.
(() => {
  const button = document.querySelector("[data-passkey]");
  if (!button || !window.PublicKeyCredential?.parseRequestOptionsFromJSON) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const options = JSON.parse(button.dataset.passkey);
    const form = button.form;
    const field = form.querySelector("[name$=passkey]");
    try {
      const made = "new" in button.dataset
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
      field.value = JSON.stringify(made.toJSON());
    } catch (problem) {
      if (problem.name !== "NotAllowedError" && problem.name !== "InvalidStateError") throw problem;
      field.value = ""; // given up, or made here before: the page stays as it is
      return;
    }
    form.requestSubmit();
  });
})();
