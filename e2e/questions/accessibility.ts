import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** What a theme can break: the other rules read what is the same in both. */
const rulesOfColour = ["color-contrast", "link-in-text-block"];

/** The same in either theme: all rules in the one that the page has, those of colour in the other one; then it goes back. */
export async function expectNoAxeViolationInEitherTheme(page: Page): Promise<void> {
  await expectNoAxeViolation(page);
  const had = await page.evaluate(() => document.documentElement.dataset.theme);
  const show = (theme: string | undefined) =>
    page.evaluate((next) => {
      if (next) document.documentElement.dataset.theme = next;
      else delete document.documentElement.dataset.theme;
    }, theme);
  await show(had === "dark" ? "light" : "dark");
  await expectNone(axeOf(page).withRules(rulesOfColour));
  await show(had);
}

/** No violation of WCAG 2.0, 2.1 and 2.2, A and AA, as far as axe can judge. */
export const expectNoAxeViolation = (page: Page): Promise<void> =>
  expectNone(axeOf(page).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]));

/** No screen has frames: one run in the page itself judges the same as a second page that gathers the parts of frames, in less time. */
const axeOf = (page: Page) => new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });

async function expectNone(axe: AxeBuilder): Promise<void> {
  const { violations } = await axe.analyze();
  expect(violations.map(({ id, nodes }) => ({ id, at: nodes.map((node) => `${node.target.join(" ")}: ${node.failureSummary}`) }))).toEqual(
    [],
  );
}
