/** Gives the focus to the first match that is drawn: a row and its card, a block and its line of the agenda stand for the same thing. */
export function focusShown(selector: string): void {
  const drawn = [...document.querySelectorAll<HTMLElement>(selector)].find((element) => element.getClientRects().length > 0);
  drawn?.focus();
}
