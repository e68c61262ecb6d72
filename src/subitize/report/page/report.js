"use strict";
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  const published = document.getElementById("show-published");
  published?.addEventListener("change", () => document.body.classList.toggle("hide-published", !published.checked));

  for (const table of all("table[data-sortable]")) {
    all("thead th", table).forEach((head, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const order = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
        all("th", table.tHead).forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        const key = (row) => row.cells[place].dataset.key;
        const compare = (one, other) => {
          const [a, b] = [key(one), key(other)];
          if (a === "" || b === "") return (a === "") - (b === "");
          const [x, y] = [Number(a), Number(b)];
          return sign * (Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b, undefined, { numeric: true }) : x - y);
        };
        for (const body of table.tBodies) body.append(...all("tr:not(.kind)", body).sort(compare));
      });
    });
  }

  for (const form of all("form[data-gallery]")) {
    const cards = all(".card", form.parentElement);
    const selects = all("select", form);
    const show = () => {
      let shown = 0;
      for (const card of cards) {
        card.hidden = selects.some((select) => select.value && card.dataset[select.name] !== select.value);
        shown += !card.hidden;
      }
      form.parentElement.querySelector(".no-match").hidden = shown > 0;
      form.querySelector("output").value = `${shown} of ${cards.length} pictures`;
    };
    form.addEventListener("change", (event) => {
      if (event.target.name === "boxes") form.parentElement.classList.toggle("show-boxes", event.target.checked);
      show();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.reset();
    show();
  }

  const dialog = document.querySelector("dialog");
  for (const card of all(".card")) {
    card.addEventListener("click", () => {
      const copy = (selector) => card.querySelector(selector).cloneNode(true);
      const story = copy("dl");
      story.hidden = false;
      dialog.className = card.className.replace("card ", "");
      dialog.querySelector(".large").replaceChildren(copy(".picture"), copy(".verdict"), ...all(".who", card).map((one) => one.cloneNode(true)));
      dialog.querySelector(".story").replaceChildren(story);
      dialog.showModal();
    });
  }
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  addEventListener("hashchange", reveal);
  reveal();

  const links = new Map(all("nav a").map((link) => [link.hash.slice(1), link]));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      links.forEach((link) => link.classList.remove("here"));
      links.get(entry.target.id)?.classList.add("here");
    }
  }, { rootMargin: "0px 0px -80% 0px" });
  all("main section").forEach((section) => links.has(section.id) && seen.observe(section));
})();
