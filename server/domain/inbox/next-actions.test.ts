import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { outboxStates } from "@/db/schema/outbox";
import type { Actor, PersonActor, Role } from "@/server/domain/scope/actor";
import { type ActionRow, actionRight, type DeliveryAction, deliveryActions, mainAction, nextActions, type WhyNot } from "./next-actions";
import { inboxStates } from "./states";

const clinicId = "01900000-0000-7000-8000-0000000000c1";
const elsewhere = "01900000-0000-7000-8000-0000000000c2";
const me = "01900000-0000-7000-8000-0000000000a1";
const colleague = "01900000-0000-7000-8000-0000000000a2";
const blocker = "01900000-0000-7000-8000-0000000000b1";
const now = Temporal.Instant.from("2027-02-09T09:00:00Z");
const open = { status: "OPEN" as const, assigneeId: null };

const inbox = (
  state: Extract<ActionRow, { kind: "inbox" }>["state"],
  over: Partial<Extract<ActionRow, { kind: "inbox" }>> = {},
): ActionRow => ({
  kind: "inbox",
  clinicId,
  state,
  lease: state === "PROCESSING" ? { owner: "W-1", until: now.add({ seconds: 12 }) } : null,
  nextAttemptAt: state === "RETRYABLE" && !over.blockedBy ? now.add({ minutes: 1 }) : null,
  blockedBy: null,
  followers: 0,
  replayRequestId: null,
  task: state === "QUARANTINED" ? open : null,
  ...over,
});
const outbox = (state: Extract<ActionRow, { kind: "outbox" }>["state"]): ActionRow => ({
  kind: "outbox",
  clinicId,
  state,
  lease: state === "CLAIMED" ? { owner: "R-1", until: now.add({ seconds: 12 }) } : null,
  task: state === "FAILED" ? open : null,
});
const repeat = (kind: "delivery" | "command"): ActionRow => ({ kind, clinicId, state: "DUPLICATE", lease: null, task: null });

const person = (...roles: Role[]): PersonActor => ({
  kind: "person",
  tenantGroupId: clinicId,
  clinicIds: [clinicId, elsewhere],
  userId: me,
  ref: "ST-000001",
  roles: roles.map((role) => ({ role, clinicId })),
});
const staff = person("STAFF");
const operator = person("STAFF", "APPOINTMENT_REPLAY_OPERATOR");
const kept = { task: { status: "KEPT" as const, assigneeId: null } };
const mine = { task: { status: "OPEN" as const, assigneeId: me } };
const theirs = { task: { status: "OPEN" as const, assigneeId: colleague } };

/** Every row that can be met, with what an operator may do. What is not listed is off. */
const table: [name: string, row: ActionRow, allowed: DeliveryAction[]][] = [
  ["PROCESSED", inbox("PROCESSED"), ["readResult", "addNote"]],
  ["PROCESSING under a live lease", inbox("PROCESSING"), ["addNote"]],
  ["PROCESSING of a dead worker", inbox("PROCESSING", { lease: { owner: "W-1", until: now } }), ["addNote"]],
  ["RETRYABLE", inbox("RETRYABLE"), ["scheduleRetry", "addNote"]],
  ["RETRYABLE and due", inbox("RETRYABLE", { nextAttemptAt: now }), ["scheduleRetry", "reviewReplay", "addNote"]],
  ["RETRYABLE behind another", inbox("RETRYABLE", { blockedBy: blocker }), ["addNote"]],
  ["QUARANTINED", inbox("QUARANTINED"), ["reviewReplay", "keepQuarantined", "assign", "addNote"]],
  [
    "QUARANTINED with rows behind it",
    inbox("QUARANTINED", { followers: 2 }),
    ["reviewReplay", "keepQuarantined", "releaseSequence", "assign", "addNote"],
  ],
  ["QUARANTINED and mine", inbox("QUARANTINED", mine), ["reviewReplay", "keepQuarantined", "handOver", "addNote"]],
  ["QUARANTINED and a colleague's", inbox("QUARANTINED", theirs), ["reviewReplay", "keepQuarantined", "assign", "addNote"]],
  ["QUARANTINED and kept", inbox("QUARANTINED", kept), ["readResult", "reviewReplay", "addNote"]],
  [
    "QUARANTINED and kept, with rows behind it",
    inbox("QUARANTINED", { ...kept, followers: 1 }),
    ["readResult", "reviewReplay", "releaseSequence", "addNote"],
  ],
  ["QUARANTINED behind another", inbox("QUARANTINED", { blockedBy: blocker }), ["keepQuarantined", "assign", "addNote"]],
  [
    "QUARANTINED behind another under a running replay",
    inbox("QUARANTINED", { blockedBy: blocker, replayRequestId: blocker }),
    ["reviewReplay", "assign", "addNote"],
  ],
  ["QUARANTINED under a running replay", inbox("QUARANTINED", { replayRequestId: blocker }), ["reviewReplay", "assign", "addNote"]],
  ["outbox PENDING", outbox("PENDING"), ["addNote"]],
  ["outbox CLAIMED", outbox("CLAIMED"), ["addNote"]],
  ["outbox FAILED", outbox("FAILED"), ["retryPublish", "skipPublish", "assign", "addNote"]],
  ["outbox PUBLISHED", outbox("PUBLISHED"), ["readResult", "addNote"]],
  ["outbox SKIPPED", outbox("SKIPPED"), ["readResult", "addNote"]],
  ["a redelivery", repeat("delivery"), ["readResult"]],
  ["a command called again", repeat("command"), ["readResult"]],
];

const roles: [name: string, actor: Actor, rights: Role[]][] = [
  ["an operator", operator, ["STAFF", "APPOINTMENT_REPLAY_OPERATOR"]],
  ["STAFF", staff, ["STAFF"]],
  ["a replay operator who is not STAFF", person("APPOINTMENT_REPLAY_OPERATOR"), ["APPOINTMENT_REPLAY_OPERATOR"]],
  ["the front desk", person("FRONT_DESK"), []],
  ["ADMIN", person("ADMIN"), []],
  ["an operator of another clinic", { ...operator, roles: operator.roles.map(({ role }) => ({ role, clinicId: elsewhere })) }, []],
  ["a token", { kind: "token", tenantGroupId: clinicId, clinicIds: [clinicId], clientId: me, tokenId: me, ref: "AC-1", commands: [] }, []],
  ["a worker", { kind: "worker", worker: "W-1" }, []],
];

describe("what may be done with a delivery", () => {
  it("every state of both boundaries is in the table", () => {
    const has = (kind: string, state: string) => table.some(([, row]) => row.kind === kind && row.state === state);
    for (const state of inboxStates) expect([state, has("inbox", state)]).toEqual([state, true]);
    for (const state of outboxStates) expect([state, has("outbox", state)]).toEqual([state, true]);
  });

  describe.each(table)("%s", (_, row, allowed) => {
    it.each(roles)("for %s", (_name, actor, rights) => {
      const actions = nextActions(row, actor, now);
      // what is somebody's own depends on who asks: only persons have tasks
      const expected = deliveryActions.filter((action) => allowed.includes(action) && rights.includes(actionRight[action]));
      const nobodys = actor.kind === "person" ? expected : [];
      expect(deliveryActions.filter((action) => actions[action].allowed)).toEqual(nobodys);
      for (const action of deliveryActions.filter((one) => allowed.includes(one) && !rights.includes(actionRight[one])))
        if (actor.kind === "person") expect(actions[action]).toEqual({ allowed: false, why: "RIGHT_MISSING", right: actionRight[action] });
    });
  });

  it("O-14 every action that is off has its reason", () => {
    const why = (row: ActionRow, action: DeliveryAction, actor: Actor = operator): WhyNot | "allowed" => {
      const decision = nextActions(row, actor, now)[action];
      return decision.allowed ? "allowed" : decision.why;
    };
    expect(why(inbox("PROCESSED"), "reviewReplay")).toBe("ALREADY_SETTLED");
    expect(why(repeat("delivery"), "reviewReplay")).toBe("ALREADY_SETTLED");
    expect(why(inbox("RETRYABLE"), "reviewReplay")).toBe("NOT_DUE");
    expect(why(inbox("RETRYABLE"), "readResult")).toBe("NOT_SETTLED");
    expect(why(inbox("RETRYABLE"), "assign")).toBe("NOT_STOPPED");
    expect(why(inbox("PROCESSING", { lease: { owner: "W-1", until: now } }), "scheduleRetry")).toBe("TAKE_OVER_DUE");
    expect(why(inbox("QUARANTINED"), "scheduleRetry")).toBe("NEEDS_REPLAY");
    expect(why(inbox("QUARANTINED"), "releaseSequence")).toBe("NOTHING_WAITS");
    expect(why(inbox("QUARANTINED", kept), "keepQuarantined")).toBe("ALREADY_KEPT");
    expect(why(inbox("QUARANTINED", kept), "assign")).toBe("ALREADY_KEPT");
    expect(why(inbox("QUARANTINED", mine), "assign")).toBe("ALREADY_YOURS");
    expect(why(inbox("QUARANTINED", theirs), "handOver")).toBe("NOT_YOURS");
    expect(why(inbox("QUARANTINED"), "skipPublish")).toBe("OTHER_BOUNDARY");
    expect(why(outbox("FAILED"), "reviewReplay")).toBe("OTHER_BOUNDARY");
    expect(why(outbox("PENDING"), "skipPublish")).toBe("NOT_STOPPED");
    expect(why(repeat("command"), "addNote")).toBe("OTHER_BOUNDARY");
  });

  it("a live lease names who holds it and until when, and a row in the way is named too", () => {
    expect(nextActions(inbox("PROCESSING"), operator, now).reviewReplay).toEqual({
      allowed: false,
      why: "LIVE_LEASE",
      owner: "W-1",
      until: "2027-02-09T09:00:12Z",
    });
    const blocked = nextActions(inbox("RETRYABLE", { blockedBy: blocker }), operator, now);
    expect(blocked.scheduleRetry).toEqual({ allowed: false, why: "BLOCKED", blockedBy: blocker });
    const later = nextActions(inbox("QUARANTINED", { followers: 1, blockedBy: blocker }), operator, now);
    expect(later.releaseSequence).toEqual({ allowed: false, why: "BLOCKED", blockedBy: blocker });
    const running = nextActions(inbox("QUARANTINED", { replayRequestId: me }), operator, now);
    expect(running.keepQuarantined).toEqual({ allowed: false, why: "REPLAY_RUNNING", requestId: me });
  });

  it("the one button of a row is the act that ends the matter, for who may do it", () => {
    const main = (row: ActionRow, actor: Actor) => mainAction(row, nextActions(row, actor, now));
    expect([main(inbox("QUARANTINED"), operator), main(inbox("QUARANTINED"), staff)]).toEqual(["reviewReplay", "keepQuarantined"]);
    expect([main(inbox("RETRYABLE"), staff), main(inbox("RETRYABLE", { blockedBy: blocker }), staff)]).toEqual(["scheduleRetry", null]);
    expect([main(outbox("FAILED"), operator), main(outbox("FAILED"), staff)]).toEqual(["retryPublish", null]);
    expect([main(inbox("PROCESSED"), staff), main(inbox("QUARANTINED", kept), operator)]).toEqual(["readResult", "readResult"]);
    expect(main(inbox("PROCESSING"), operator)).toBe(null);
  });

  it("what cannot be taken back, and what speaks to a colleague, asks for words", () => {
    const actions = nextActions(inbox("QUARANTINED", { ...mine, followers: 1 }), operator, now);
    const asks = deliveryActions.filter((action) => {
      const decision = actions[action];
      return decision.allowed && decision.needsReason;
    });
    expect(asks).toEqual(["keepQuarantined", "releaseSequence", "handOver", "addNote"]);
  });
});
