// The box beside the pointer: what a term means, what is under the pointer.

export class Hint {
  constructor(element, glossary) {
    Object.assign(this, { element, glossary });
    document.addEventListener("mouseover", (event) => this.#over(event));
    document.addEventListener("focusin", (event) => this.#over(event));
    document.addEventListener("mouseout", (event) => event.target.closest?.("[data-term], [data-hint]") && this.hide());
    document.addEventListener("focusout", () => this.hide());
  }

  /** What the glossary says of a term, or "". */
  meaning(term) {
    return this.glossary[term] ?? this.glossary[term.toLowerCase()] ?? "";
  }

  #over(event) {
    const place = event.target.closest?.("[data-term], [data-hint]");
    if (!place) return;
    if (event.type === "focusin" && !place.matches(":focus-visible")) return;
    const term = place.dataset.term,
      meaning = term ? this.meaning(term) : "";
    const text = place.dataset.hint || (meaning ? `${term.replace(/^state /, "")}: ${meaning}` : "");
    if (!text) return;
    const box = place.getBoundingClientRect();
    this.show(event.clientX || box.left, event.clientY || box.bottom, text);
  }

  show(x, y, text) {
    const { element } = this;
    element.textContent = text;
    element.hidden = false;
    const box = element.getBoundingClientRect();
    element.style.left = `${Math.max(4, Math.min(x + 14, window.innerWidth - box.width - 6))}px`;
    element.style.top = `${y + 20 + box.height > window.innerHeight ? Math.max(4, y - box.height - 12) : y + 18}px`;
  }

  hide() {
    this.element.hidden = true;
  }
}
