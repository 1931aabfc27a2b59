// What pages do better with a script; all of them work without it. Nothing is kept but the chosen theme.
"use strict";

(() => {
  const root = document.documentElement;
  const kept = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  if (["light", "dark"].includes(kept())) root.dataset.theme = kept(); // before anything is painted

  const say = (text) => { document.getElementById("said").textContent = text || ""; };

  // Puts the part of a freshly loaded page in the place of the same part here, and says what it came to.
  const replacePart = async (url, id) => {
    const part = document.getElementById(id);
    part.setAttribute("aria-busy", "true");
    const response = await fetch(url, { credentials: "same-origin" });
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById(id);
    if (!response.ok || response.redirected || !fresh) { location.assign(url); return; }
    part.replaceWith(document.adoptNode(fresh));
    say(fresh.dataset.said);
    lookAgain();
  };

  const lookAgain = () => {
    const part = document.querySelector("[data-again]");
    if (part) setTimeout(() => replacePart(location.href, part.id), Number(part.dataset.again));
  };

  const showTheme = (button) => {
    button.hidden = false;
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours");
  };

  document.addEventListener("DOMContentLoaded", () => {
    const theme = document.getElementById("theme");
    showTheme(theme);
    theme.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* it holds for this page */ }
      showTheme(theme);
    });

    const place = () => location.pathname + location.search;
    let shown = place();
    document.addEventListener("submit", (event) => {
      const form = event.target;
      if (!form.dataset.live) return;
      event.preventDefault();
      const given = [...new FormData(form)].filter(([, value]) => value !== "");
      const url = `${form.getAttribute("action")}?${new URLSearchParams(given)}`;
      history.pushState(null, "", url);
      shown = place();
      replacePart(url, form.dataset.live);
    });
    // Back to another page's address; a jump within this one, as the skip link's, is none.
    addEventListener("popstate", () => { if (place() !== shown) location.reload(); });

    for (const input of document.querySelectorAll("[data-reads-into]")) {
      input.closest("[data-with-script]").hidden = false;
      input.addEventListener("change", async () => {
        const [file] = input.files;
        document.getElementById(input.dataset.readsInto).value = file ? await file.text() : "";
        say(file ? `${file.name} was read` : "");
      });
    }

    document.addEventListener("keydown", (event) => {
      const open = document.querySelector("details.whose[open]");
      if (event.key === "Escape" && open) { open.open = false; open.querySelector("summary").focus(); }
    });
    lookAgain();
  });
})();
