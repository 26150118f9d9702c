import type { Page } from "@playwright/test";

/** What moves on the page, or would on the next change of style: running animations, and elements with a transition or an animation of some length. */
export const motionOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const isLong = (times: string) => times.split(",").some((time) => Number.parseFloat(time) > 0);
    const running = document
      .getAnimations()
      .filter(({ playState }) => playState === "running")
      .map(({ effect }) => `running on ${(effect as KeyframeEffect | null)?.target?.tagName}`);
    const styled = [...document.querySelectorAll("*")].filter((element) =>
      [null, "::before", "::after"].some((part) => {
        const style = getComputedStyle(element, part);
        return isLong(style.transitionDuration) || (style.animationName !== "none" && isLong(style.animationDuration));
      }),
    );
    return [...running, ...styled.map((element) => element.outerHTML.slice(0, 80))];
  });
