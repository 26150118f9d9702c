// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings quote source text, placeholders and all
import type { Guard } from "./guard";

const outboxFence = "server/domain/outbox/fence.db.test.ts";
const relay = "server/domain/outbox/relay.db.test.ts";
const sweep = "server/domain/outbox/sweep-outbox.db.test.ts";
const inboxFence = "server/domain/inbox/fence.db.test.ts";
const inbox = "server/domain/inbox/process.db.test.ts";
const acts = "server/domain/deliveries/acts.db.test.ts";
const dispatch = "server/domain/notifications/dispatch-once.db.test.ts";

/** What keeps an event in order, its effect single, and a message sent once. */
export const deliveryGuards: Guard[] = [
  {
    name: "head-of-key claim",
    code: [{ file: "server/domain/outbox/claim-entries.ts", find: "and earlier.aggregate_seq < o.aggregate_seq", put: "and false" }],
    killer: { file: relay, test: "claims the head of a key only, and never more than its limit" },
  },
  {
    name: "one sequence of an appointment once",
    sql: "alter table outbox drop constraint outbox_sequence_key",
    killer: { file: relay, test: "two events with one sequence of an appointment are refused" },
  },
  {
    name: "a sequence that has left the outbox is not given again",
    sql: "drop trigger outbox_sequence_once on outbox",
    killer: { file: sweep, test: "a sequence that has left is given no second time, under the name of the key" },
  },
  {
    name: "a row stays while its event, or an earlier one, is unfinished",
    code: [
      {
        file: "server/domain/outbox/sweep-outbox.ts",
        find: "and i.aggregate_seq <= o.aggregate_seq\n              and i.state <> 'PROCESSED')",
        put: "and false)",
      },
    ],
    killer: {
      file: sweep,
      test: "while a registered consumer has not finished its event, or an earlier one of its aggregate; not for one that is registered no more",
    },
  },
  {
    name: "fence in the relay's mark",
    code: [{ file: "server/domain/outbox/mark-published.ts", find: "and o.fence = p.fence", put: "" }],
    killer: { file: outboxFence, test: "cannot mark the entry as published where it put it" },
  },
  {
    name: "lease left before a publish",
    code: [
      {
        file: "server/domain/outbox/relay-once.ts",
        find: "!options.signal?.aborted && leaseEndsMs - clock.monotonicMs() > publishTimeoutMs + markBudgetMs",
        put: "!options.signal?.aborted",
      },
    ],
    killer: { file: relay, test: "does not publish when too little of the lease is left" },
  },
  {
    name: "an acknowledged offset must be new",
    code: [{ file: "server/event-log/kafka-publish.ts", find: " || base <= (last.get(`${topic}/${partition}`) ?? -1n)", put: "" }],
    killer: {
      file: "server/event-log/kafka-publish.test.ts",
      test: "an acknowledged offset that is not above the last one marks nothing: another message may have been swallowed",
    },
  },
  {
    name: "fence before the effects",
    code: [
      {
        file: "server/domain/inbox/apply-effects.ts",
        find: "join inbox i on i.id = c.id and i.fence = c.fence",
        put: "join inbox i on i.id = c.id",
      },
    ],
    killer: { file: inboxFence, test: "before its effects: it does not begin them" },
  },
  {
    name: "a claim that a crash undid is made anew",
    code: [{ file: "server/domain/inbox/apply-effects.ts", find: "await assertThere(tx, fenced);", put: "" }],
    killer: { file: inbox, test: "are made anew, and nothing is lost: a batch" },
  },
  {
    name: "fence in the inbox's mark",
    code: [{ file: "server/domain/inbox/mark-processed.ts", find: "and i.fence = e.fence", put: "" }],
    killer: { file: inboxFence, test: "with an old claim in its hands: it can neither mark the row nor give it back" },
  },
  {
    name: "fence in the settling of a failure",
    code: [
      {
        file: "server/domain/inbox/settle-failed-row.ts",
        find: "and fence = ${row.fence}\n        and state is not",
        put: "and state is not",
      },
    ],
    killer: { file: inboxFence, test: "after its handler failed: it cannot end its successor's attempt" },
  },
  {
    name: "one row for an event and consumer",
    sql: "alter table inbox drop constraint inbox_identity_key",
    code: [{ file: "server/domain/inbox/claim-batch.ts", find: "on conflict (consumer, event_id) do nothing", put: "" }],
    killer: { file: inbox, test: "at the same offset and at another one is a DUPLICATE, not a forgery" },
  },
  {
    name: "digest of an event's content",
    code: [{ file: "server/domain/inbox/states.ts", find: 'if (!isSameContent) return "CONFLICT";', put: "" }],
    killer: { file: inbox, test: "with another content is an IDENTITY_CONFLICT: an unfinished row is quarantined" },
  },
  {
    name: "order behind an unfinished event",
    code: [
      {
        file: "server/domain/inbox/claim-batch.ts",
        find: "and earlier.state <> 'PROCESSED'",
        put: "and false",
      },
    ],
    killer: {
      file: inbox,
      test: "later events of an appointment wait behind an unfinished one, use no attempt, and run when it is settled",
    },
  },
  {
    name: "gaps and regressions of a sequence",
    code: [{ file: "server/domain/inbox/apply-effects.ts", find: 'if (check === "NEXT") {', put: "if (check) {" }],
    killer: { file: inbox, test: "an event below the applied sequence has no effect and counts as DUPLICATE" },
  },
  {
    name: "one message for one change",
    sql: "alter table notification_intents drop constraint notification_intents_change_key",
    killer: { file: dispatch, test: "one change has one message of a kind, whoever asks again (H-B1)" },
  },
  {
    name: "fence in the dispatcher's settlement",
    code: [
      {
        file: "server/domain/notifications/settle-intent.ts",
        find: "where id = ${claim.id} and fence = ${claim.fence} and state = 'SENDING'\n    returning id`;\n  const held",
        put: "where id = ${claim.id} and state = 'SENDING'\n    returning id`;\n  const held",
      },
    ],
    killer: { file: dispatch, test: "after its call: it cannot end the successor's attempt" },
  },
  {
    name: "fence before a message is handed over",
    code: [
      {
        file: "server/domain/notifications/prepare-send.ts",
        find: "where i.id = ${claim.id} and i.fence = ${claim.fence} and i.state = 'SENDING'",
        put: "where i.id = ${claim.id} and i.state = 'SENDING'",
      },
      {
        file: "server/domain/notifications/prepare-send.ts",
        find: "where i.id = ${claim.id} and i.fence = ${claim.fence}\n",
        put: "where i.id = ${claim.id}\n",
      },
    ],
    killer: { file: dispatch, test: "before its last look: it does not call" },
  },
  {
    name: "lease left before a call",
    code: [
      {
        file: "server/domain/notifications/dispatch-once.ts",
        find: "if (leftMs <= limits.callTimeoutMs + limits.leaseMarginMs)",
        put: "if (leftMs < -1e9)",
      },
    ],
    killer: { file: dispatch, test: "no call is made when less of the lease is left than the call may take" },
  },
  {
    name: "a lost hand-over is not sent again",
    code: [
      {
        file: "server/domain/notifications/claim-intents.ts",
        find: "(provider is null or (${provider.idempotentByKey}::boolean and provider = ${provider.name}::text)) as again",
        put: "(${provider.idempotentByKey}::boolean or ${provider.name}::text is not null) as again",
      },
    ],
    killer: { file: dispatch, test: "after the hand-over, to any other provider: UNKNOWN, and never sent again" },
  },
  {
    name: "a message is still true when it is sent",
    code: [{ file: "server/domain/notifications/prepare-send.ts", find: "  if (reason) return", put: "  if (reason && !facts) return" }],
    killer: { file: dispatch, test: "a booking that was cancelled meanwhile is not told; the cancellation is (H-C1)" },
  },
  {
    name: "messages to one recipient are counted",
    code: [
      { file: "server/domain/notifications/prepare-send.ts", find: "and ${recipientPerMinuteMax}::int > (", put: "and 1000000::int > (" },
    ],
    killer: {
      file: "server/domain/notifications/flood.db.test.ts",
      test: "H-B1 one booking that became many does not become as many mails: the rest is parked for STAFF, others get theirs",
    },
  },
  {
    name: "versions that an act was decided on",
    code: [
      {
        file: "server/domain/deliveries/lock-row.ts",
        find: "row.version !== call.row.version || row.taskVersion !== call.row.taskVersion",
        put: "row.version === '-1'",
      },
    ],
    killer: { file: acts, test: "O-3 on a row that changed since it was read is refused with what it is now, and the refusal is audited" },
  },
  {
    name: "a row that stops is a task",
    sql: "drop trigger delivery_task_opens on inbox",
    killer: { file: acts, test: "is an unassigned task by itself, and is counted under its reason" },
  },
  {
    name: "a kept row comes back when it changes",
    sql: "drop trigger delivery_task_moves on inbox",
    killer: {
      file: acts,
      test: "takes the row out of what needs a decision with name and reason, and it comes back when it changes; the words stay",
    },
  },
  {
    name: "nothing is passed over that is still to come",
    code: [
      {
        file: "server/domain/inbox/next-actions.ts",
        find: 'if (row.blockedBy) return { why: "BLOCKED", blockedBy: row.blockedBy };\n      return row.followers',
        put: "return row.followers",
      },
    ],
    killer: { file: "server/domain/deliveries/order.db.test.ts", test: "does not step over an earlier event that is still to come" },
  },
];
