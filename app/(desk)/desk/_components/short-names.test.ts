import { expect, test } from "vitest";
import { shortNames } from "./short-names";

test("a doctor is called by the last word of the name while that tells the doctors apart", () => {
  expect(shortNames(["Dr Ada Winter", "Timo Rasch"])).toEqual(["Winter", "Rasch"]);
  expect(shortNames(["D-01", "김지우"])).toEqual(["D-01", "김지우"]);
  expect(shortNames(["Dr Ada Winter", "Dr Otto Winter"])).toEqual(["Dr Ada Winter", "Dr Otto Winter"]);
});
