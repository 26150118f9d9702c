import { randomUUID } from "node:crypto";
import { type Suite, scaled } from "@/bench/lib/context";
import { book, commandDeps } from "@/bench/lib/product";
import { compared } from "@/bench/lib/report";
import { ratePerSecond, runAlternately } from "@/bench/lib/rounds";
import { createWorld } from "@/bench/lib/world";

const suite = "replay-key";

/** The same command sent again under its key, against sending a new one. Both in process, 10 at a time. */
export const replayKey: Suite = async (context) => {
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 4, name: suite });
  const deps = commandDeps(database.web, context.secrets);
  const amount = scaled(context, 1_000, 100);
  let made = 0;
  const sent: { n: number; key: string }[] = [];
  const create = () => {
    const command = { n: made++, key: randomUUID() };
    sent.push(command);
    return book(deps, world, world.booking(command.n), command.key);
  };
  const again = async (i: number) => {
    const { n, key } = sent[i % sent.length] as (typeof sent)[number];
    const answer = await book(deps, world, world.booking(n), key);
    if (!answer.replayed) throw new Error("a known key was not replayed");
  };
  const measured = await runAlternately(
    [
      { name: "create", run: () => ratePerSecond(amount, 10, create) },
      { name: "replay", run: () => (sent.length === 0 ? Promise.resolve(0) : ratePerSecond(amount, 10, again)) },
    ],
    context.rounds,
    () => database.bare`analyze`,
  );
  return [
    compared(measured, {
      suite,
      what: "replay of a stored answer",
      unit: "/s",
      ours: "replay",
      baseline: "create",
      bar: { atLeast: 2 },
      note: "every replay also writes a row of command_calls",
    }),
  ];
};
