// A component that nobody put on the /design page is in no picture: nobody would see it change.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "..");
const filesOf = (folder: string): string[] =>
  execFileSync("git", ["ls-files", "-co", "--exclude-standard", folder], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((file) => file.endsWith(".tsx") && !file.endsWith(".test.tsx") && existsSync(path.join(root, file)));
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

/** Shared components that the page does not draw by itself, and why. */
const drawnOtherwise: Record<string, string> = {
  OpenDialog: "what Dialog fetches; shown open as `dialog`",
  OpenableMenu: "what Menu fetches; shown open as `menu`",
  Item: "what MenuItem draws",
  ChoiceItems: "what MenuChoices draws",
  Rule: "what MenuRule draws",
  Frame: "reads the session's theme; Rail and TopBar are what it draws",
  PlaceFrame: "reads who is signed in; Rail and TopBar are what it draws",
  DecisionBadge: "in the Rail, with a small and a large number",
  CommandMenu: "in the TopBar; its dialog is shown in each state as `find…`",
  ThemeSwitch: "in the TopBar",
  GroupedTable: "what QueueTable and PlanningTable fill",
  GroupedCards: "what QueueCards and PlanningCards fill",
};

/** Components that a file of the shared folder exports: functions whose names begin with a capital letter. */
function exportedComponents(text: string): string[] {
  return [...text.matchAll(/^export (?:async )?(?:function|const) ([A-Z]\w+)/gm)].map(([, name]) => name as string);
}

const components = filesOf("app/_components").flatMap((file) =>
  exportedComponents(read(file)).map((name) => ({ name, from: `@/${file.replace(/\.tsx$/, "")}` })),
);
/** What files of the page import, as "name from module". */
const imported = new Set(
  filesOf("app/design").flatMap((file) =>
    [...read(file).matchAll(/^import \{([^}]*)\} from "(@\/app\/[^"]+)"/gm)].flatMap(([, names = "", from]) =>
      names.split(",").map((name) => `${name.trim()} from ${from}`),
    ),
  ),
);

describe("the design page", () => {
  test("shows every shared component", () => {
    expect(components.length).toBeGreaterThan(50);
    const missing = components.filter(({ name, from }) => !(name in drawnOtherwise) && !imported.has(`${name} from ${from}`));
    expect(missing).toEqual([]);
  });

  test("has no exception that is none", () => {
    const idle = Object.keys(drawnOtherwise).filter((name) => {
      const found = components.find((one) => one.name === name);
      return !found || imported.has(`${name} from ${found.from}`);
    });
    expect(idle).toEqual([]);
  });
});
