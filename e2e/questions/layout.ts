import { expect, type Page } from "@playwright/test";

/** Nothing runs out of the page to the side, and whatever can be used lies within its width or within a part that scrolls by itself. */
export async function expectWithinWidth(page: Page): Promise<void> {
  const out = await page.evaluate(() => {
    const scrolls = (element: Element): boolean => {
      for (let up = element.parentElement; up; up = up.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(up).overflowX) && up.scrollWidth > up.clientWidth) return true;
      }
      return false;
    };
    const usable = [...document.querySelectorAll<HTMLElement>("a[href], button, input, select, [tabindex='0']")];
    const lost = usable.filter((element) => {
      const box = element.getBoundingClientRect();
      const isDrawn = box.width > 1 && box.height > 1 && element.checkVisibility({ visibilityProperty: true });
      return isDrawn && (box.right > window.innerWidth + 1 || box.left < -1) && !element.matches(".sr, .skip") && !scrolls(element);
    });
    const over = document.documentElement.scrollWidth - window.innerWidth;
    return [...(over > 0 ? [`the page by ${over} px`] : []), ...lost.map((element) => element.outerHTML.slice(0, 120))];
  });
  expect(out, "runs out of the page").toEqual([]);
}
