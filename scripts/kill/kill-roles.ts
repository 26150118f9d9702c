import { setTimeout as sleep } from "node:timers/promises";
import { type Drill, type Harm, recoveryMaxMs, type Scenario } from "./scenario";
import type { Role } from "./stand";
import { atPoint, plain } from "./supervised";
import { until } from "./until";

/** Points at which a process holds something: claimed and not done, done and not written down. */
const points: Partial<Record<Role, string[]>> = {
  "outbox-relay": ["relay.afterClaim", "relay.afterPublish"],
  "appointment-consumers": ["inbox.afterClaim", "inbox.afterEffect"],
  "notification-dispatch": ["dispatch.afterPrepare", "dispatch.afterCall"],
};

/** kill -9 at any moment, again and again, the one and the other in turn; and at the named points of the role. */
async function killRole({ stand, isSample, recovery }: Drill, role: Role): Promise<Harm> {
  const recoveries: Promise<number>[] = [];
  const random = isSample ? 1 : 3;
  let kills = 0;
  for (let i = 0; i < random; i++) {
    await sleep(700 + Math.random() * 1_000);
    const victims = stand.of(role);
    victims[i % victims.length]?.kill();
    kills += 1;
    recoveries.push(recovery());
  }
  const named = (points[role] ?? []).slice(0, isSample ? 1 : 2);
  const faults: string[] = [];
  for (const [i, point] of named.entries()) {
    const victim = stand.of(role)[i % 2] as ReturnType<Drill["stand"]["of"]>[number];
    const before = victim.unasked.length;
    victim.kill(atPoint(point, "SIGKILL"));
    const died = await until(() => victim.unasked.length > before, recoveryMaxMs);
    victim.startWith(plain); // else it would die again at the same point
    if (died) victim.unasked.length = before;
    else {
      faults.push(`nobody came to ${point}`);
      victim.kill();
    }
    kills += 1;
    recoveries.push(recovery());
  }
  return {
    what: `${kills} kills${named.length > 0 ? `, at ${named.join(" and ")} too` : ""}`,
    recoveriesMs: await Promise.all(recoveries),
    faults,
  };
}

export const killScenarios: Scenario[] = (["web", "outbox-relay", "appointment-consumers", "notification-dispatch"] as const).map(
  (role) => ({
    name: `kill -9 of ${role}`,
    log: "postgres",
    run: (drill) => killRole(drill, role),
  }),
);
