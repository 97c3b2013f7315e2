// Upload forms: an area to drop a file on, and how much of it has been sent.
(() => {
  const size = (bytes) => {
    if (bytes < 1e3) return `${bytes} bytes`;
    return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  };

  const named = (zone) => {
    const files = [...zone.querySelector("[type=file]").files];
    const sizeText = zone.querySelector("[data-file]");
    const sum = size(files.reduce((bytes, file) => bytes + file.size, 0));
    if (sizeText) sizeText.textContent = files.length > 1 ? `${files.length} files, ${sum}` : files.length ? sum : "";
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
  const isSending = (event, is) => {
    const bar = sending(event);
    if (!bar) return;
    bar.hidden = !is;
    event.target.closest("form").querySelector("[data-send]").disabled = is;
  };
  document.addEventListener("htmx:beforeRequest", (event) => isSending(event, true));
  document.addEventListener("htmx:afterRequest", (event) => isSending(event, false));
  document.addEventListener("htmx:xhr:progress", (event) => {
    const { lengthComputable, loaded, total } = event.detail;
    const bar = sending(event)?.querySelector("progress");
    if (!bar || !lengthComputable) return;
    bar.max = total;
    bar.value = loaded;
    bar.parentElement.querySelector("[data-share]").textContent = loaded < total ? `${Math.floor((100 * loaded) / total)} %` : "sent, now being read";
  });
  // The one Cancel ends what is being sent; else it is the link it is.
  document.addEventListener("click", (event) => {
    const form = event.target.closest("form:has([data-sending]:not([hidden])) [data-cancel]")?.closest("form");
    if (!form) return;
    event.preventDefault();
    window.htmx.trigger(form, "htmx:abort");
    document.getElementById("said").textContent = "The upload was cancelled. Nothing was kept.";
  });
})();
