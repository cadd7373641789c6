// Search over the index in index.js: [name, page, section, text] of every operator.
(function () {
  "use strict";
  const input = document.getElementById("search");
  const list = document.getElementById("results");
  const root = document.body.dataset.root;
  const most = 20;

  // Smaller is better; -1 is no match. Every word has to be somewhere.
  function rank(entry, words) {
    const name = entry[0].toLowerCase();
    const rest = (entry[2] + " " + entry[3]).toLowerCase();
    let total = 0;
    for (const word of words) {
      const at = name.indexOf(word);
      if (name === word) total += 0;
      else if (at === 0) total += 1 + name.length / 100;
      else if (at > 0) total += 3 + name.length / 100;
      else if (rest.includes(word)) total += 10;
      else return -1;
    }
    return total;
  }

  function search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    return window.OPWEAVE_INDEX.map((entry) => [rank(entry, words), entry])
      .filter((found) => found[0] >= 0)
      .sort((a, b) => a[0] - b[0])
      .slice(0, most)
      .map((found) => found[1]);
  }

  function show(entries) {
    list.replaceChildren(...entries.map((entry) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      const text = document.createElement("small");
      link.href = root + entry[1];
      link.textContent = entry[0];
      text.textContent = entry[3];
      link.append(text);
      item.append(link);
      return item;
    }));
    document.getElementById("found").textContent =
      input.value ? entries.length + " found" : "";
  }

  input.addEventListener("input", () => show(search(input.value)));
  document.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "/" && document.activeElement !== input) {
      event.preventDefault();
      input.focus();
    } else if (event.key === "Escape") {
      input.value = "";
      show([]);
    } else if (event.key === "Enter" && document.activeElement === input && links.length) {
      links[0].click();
    } else if (event.key === "ArrowDown" && links.length && (at >= 0 || document.activeElement === input)) {
      event.preventDefault();
      links[Math.min(at + 1, links.length - 1)].focus();
    } else if (event.key === "ArrowUp" && at >= 0) {
      event.preventDefault();
      (at ? links[at - 1] : input).focus();
    }
  });
  show(search(input.value));
})();
