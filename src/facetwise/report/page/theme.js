// Light or dark, as the reader's machine has it unless they say otherwise.

function themeButton() {
  const button = element("button", { type: "button", class: "theme", click: () => turn(!isDark()) });
  const turn = (dark) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.textContent = dark ? "Light" : "Dark";
  };
  button.textContent = isDark() ? "Light" : "Dark";
  button.setAttribute("aria-label", "Change between light and dark");
  return button;
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
