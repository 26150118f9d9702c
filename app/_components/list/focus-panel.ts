/** Gives the focus to the heading of the open panel: after an act that ends where it was done, whose form and its focus are gone. */
export function focusPanel(): void {
  requestAnimationFrame(() => document.getElementById("evidence-heading")?.focus());
}
