// Upload forms: a place to drop a file, and how much of it has been sent.
(() => {
  const named = (zone) => {
    const file = zone.querySelector("[type=file]").files[0];
    const place = zone.querySelector("[data-file]");
    if (place) place.textContent = file ? `${file.name}, ${(file.size / 1e6).toFixed(1)} MB` : "";
  };

  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      const zone = event.target.closest?.("[data-drop]");
      if (!zone) return;
      event.preventDefault();
      zone.toggleAttribute("data-over", kind === "dragover");
      if (kind !== "drop" || !event.dataTransfer.files.length) return;
      zone.querySelector("[type=file]").files = event.dataTransfer.files;
      named(zone);
    });
  }
  document.addEventListener("change", (event) => {
    const zone = event.target.closest("[data-drop]");
    if (zone && event.target.type === "file") named(zone);
  });

  const sending = (event) => event.target.closest?.("form[data-upload]")?.querySelector("[data-sending]");
  document.addEventListener("htmx:beforeRequest", (event) => { if (sending(event)) sending(event).hidden = false; });
  document.addEventListener("htmx:afterRequest", (event) => { if (sending(event)) sending(event).hidden = true; });
  document.addEventListener("htmx:xhr:progress", (event) => {
    const { lengthComputable, loaded, total } = event.detail;
    const bar = sending(event)?.querySelector("progress");
    if (!bar || !lengthComputable) return;
    bar.max = total;
    bar.value = loaded;
    bar.parentElement.querySelector("[data-share]").textContent = loaded < total ? `${Math.floor((100 * loaded) / total)} %` : "sent, now being read";
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-cancel]")) window.htmx.trigger(event.target.closest("form"), "htmx:abort");
  });
})();
