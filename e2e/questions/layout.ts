import { expect, type Page } from "@playwright/test";
import { expectNoAxeViolationInEitherTheme } from "./accessibility";

const WIDTHS: readonly number[] = [1440, 1024, 768, 390, 320];
/** The widths between them draw one of these two. */
const JUDGED = [1440, 390];

/**
 * The open screen at one width after the other, without loading it again: it does not run out of the page to the side, and axe finds nothing in
 * either theme. `also` is asked at each width.
 */
export async function expectFitsEachWidth(page: Page, { widths = WIDTHS, also = async (_width: number) => {} } = {}): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), `at ${width} px`).toBeLessThanOrEqual(0);
    if (JUDGED.includes(width)) await expectNoAxeViolationInEitherTheme(page);
    await also(width);
  }
}

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
