import { firstContentOf, inputToPaint, sessionCookie, withBrowser } from "@/bench/lib/browser-times";
import { type Context, scaled } from "@/bench/lib/context";
import { limited, type Row } from "@/bench/lib/report";
import { median, percentile } from "@/bench/lib/rounds";
import { startWeb } from "@/bench/lib/servers";
import { firstDay } from "@/bench/lib/world";
import { seedDemo } from "@/scripts/demo/seed";

const suite = "pages";
export const visitsOfDay = 150;
const paintMsMax = 100;
const contentMsMax = 1_000;

/** A day of 150 visits and 12 doctors: from a key or a click to the frame with the drawer that it opens. */
export async function desksInputs(context: Context, origin: string, cookie: string): Promise<Row[]> {
  return withBrowser(origin, cookie, context.log, async (newContext) => {
    const page = await (await newContext()).newPage();
    await page.goto(`/desk?date=${firstDay}`);
    const visits = page.locator(".calwrap [data-visit]");
    await visits.nth(visitsOfDay - 1).waitFor();
    const drawn = `${await visits.count()} visits, ${await page.locator(".lane:not(.eq)").count()} doctors`;
    const times: { what: string; ms: number[] }[] = [
      { what: "desk: N to the booking drawer", ms: [] },
      { what: "desk: click to a visit", ms: [] },
    ];
    for (let i = 0; i < scaled(context, 30, 5); i++) {
      const visit = visits.nth((i * 7) % visitsOfDay);
      await visit.scrollIntoViewIfNeeded();
      times[0]?.ms.push(await inputToPaint(page, () => page.keyboard.press("n")));
      await page.keyboard.press("Escape");
      times[1]?.ms.push(await inputToPaint(page, () => visit.click()));
      await page.keyboard.press("Escape");
    }
    return times.map(({ what, ms }) =>
      limited({ suite, what: `${what}: input to paint p95`, note: drawn }, percentile(ms, 95), paintMsMax),
    );
  });
}

/** The demo with its data, warm: the server has answered the page before, the browser has never seen it. */
export async function firstContents(context: Context): Promise<Row[]> {
  const database = await context.freshDatabase();
  await seedDemo({ urls: database.urls, secrets: context.secrets, say: context.log });
  const web = await startWeb(database, context.secrets, context.log);
  try {
    const rows: Row[] = [];
    for (const [what, email, url] of [
      ["demo, desk", "desk@harbour.example", "/desk"],
      ["demo, delivery", "staff@harbour.example", "/operations/delivery"],
    ] as const) {
      const [user] = await database.bare<
        { id: string; group: string }[]
      >`select id, tenant_group_id as group from users where email = ${email}`;
      if (!user) throw new Error(`the demo has no ${email}`);
      const cookie = await sessionCookie(context, user.id, user.group);
      const ms = await withBrowser(web.origin, cookie, context.log, async (newContext) => {
        await firstContentOf(newContext, url);
        const times: number[] = [];
        for (let i = 0; i < scaled(context, 10, 3); i++) times.push(await firstContentOf(newContext, url));
        return median(times);
      });
      rows.push(limited({ suite, what: `${what}: first content, median`, note: "warm server, empty browser cache" }, ms, contentMsMax));
    }
    return rows;
  } finally {
    await web.child.stop();
  }
}
