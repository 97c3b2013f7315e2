// Recent filters: pages of an experiment, a run or a dataset as they were filtered in this browser, by this person. The
// title of such a page says by what. They stand in the palette, and where the view of the same page can be saved.
(() => {
  const person = document.querySelector("[data-person]")?.dataset.person;
  const palette = document.getElementById("palette");
  if (!person || !palette) return;
  const stored = `evalsite.recent.${person}.${palette.dataset.project}`;
  const KEPT = 12;
  const OF_A_MOMENT = ["row", "open", "after", "before", "details"]; // opened, paged or folded, not filtered

  const nameIn = (title) => title.replace(/, a (run of .*|dataset)$/, "");
  const kept = () => JSON.parse(localStorage.getItem(stored) ?? "[]");

  const remember = () => {
    if (!document.querySelector("[data-recent=here]")) return;
    const [name, ...filters] = document.title.split(" · ").slice(0, -1).map((part) => part.trim());
    const query = new URLSearchParams(location.search);
    const isOpened = query.has("row") || query.has("details");
    for (const parameter of OF_A_MOMENT) query.delete(parameter);
    if (!filters.length || !query.size) return;
    const words = filters.join(" · ");
    const page = { path: location.pathname, query: `?${query}`, name: nameIn(isOpened ? name.replace(/^.*? in /, "") : name), words };
    const others = kept().filter(({ path, words: filtered }) => path !== page.path || filtered !== words);
    localStorage.setItem(stored, JSON.stringify([page, ...others].slice(0, KEPT)));
  };

  const show = (list) => {
    const here = list.dataset.recent === "here";
    const most = here ? 5 : 3;
    const present = document.title.split(" · ").slice(1, -1).join(" · ");
    const pages = kept().filter(({ path, words }) => here ? path === location.pathname && words !== present : true).slice(0, most);
    list.hidden = !pages.length;
    list.replaceChildren(...pages.map(({ path, query, name, words }) => {
      const [item, link, about] = ["li", "a", "small"].map((tag) => document.createElement(tag));
      link.href = path + query;
      link.dir = "auto";
      link.textContent = words;
      about.textContent = `filter of ${name}`;
      if (!here) link.append(about);
      item.append(link);
      return item;
    }));
  };

  const both = () => { remember(); document.querySelectorAll("[data-recent]").forEach(show); };
  both();
  document.addEventListener("htmx:afterSettle", both);
})();
