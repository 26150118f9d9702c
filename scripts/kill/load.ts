import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { slotOf } from "@/scripts/crash/desk";
import type { ClinicFixture } from "@/server/domain/clinics/testing";

export type Acknowledged = { command: Command; status: number; text: string; atMs: number };
export type Command = { key: string; path: string; body: string; ifMatch?: string };
export type Load = {
  acknowledged: Acknowledged[];
  /** Answers other than success that were no reason to try again. */
  refused: string[];
  /** Reasons to try again, by status and code; no answer at all is "none". */
  troubles: Map<string, number>;
  /** Sends beyond the first of a command. */
  retries: () => number;
  /** Commands that are still without an answer. */
  open: () => number;
  /** Takes nothing new until the returned function is called; resolves when everybody has been answered. */
  hold: () => Promise<() => void>;
  /** Takes nothing new and waits for the answers, at most `timeoutMs`. */
  stop: (timeoutMs: number) => Promise<void>;
};

const visitsAtOnce = 24;
const patienceMs = 5_000; // for one try: a stopped server never answers
const pauseMs = 200;

/**
 * A steady stream of callers: each books a visit, every second one moves it, every third cancels it. Every command has one key, and is sent with that
 * key until it is answered. `next`: numbers no other load of this database uses.
 */
export function startLoad(options: { origin: string; token: string; fixture: ClinicFixture; perSecond: number; next: () => number }): Load {
  const { origin, token, fixture, perSecond, next } = options;
  const acknowledged: Acknowledged[] = [];
  const refused: string[] = [];
  const troubles = new Map<string, number>();
  const visits = new Set<Promise<void>>();
  let retries = 0;
  let open = 0;
  let going = true;
  let held = false;
  let givenUp = false;

  async function command(made: Command): Promise<Acknowledged | undefined> {
    open += 1;
    try {
      for (let tries = 1; !givenUp; tries++) {
        if (tries > 1) retries += 1;
        const answer = await send(origin, token, made, patienceMs);
        if (answer?.ok) {
          const got = { command: made, status: answer.status, text: answer.text, atMs: Date.now() };
          acknowledged.push(got);
          return got;
        }
        if (answer && !answer.isRetryable) {
          refused.push(`${made.path.split("/").at(-1)} answered ${answer.status}: ${answer.text.slice(0, 200)}`);
          return undefined;
        }
        const trouble = answer ? `${answer.status} ${codeOf(answer.text)}` : "none";
        troubles.set(trouble, (troubles.get(trouble) ?? 0) + 1);
        await sleep(pauseMs * (0.75 + Math.random() / 2));
      }
    } finally {
      open -= 1;
    }
    return undefined;
  }

  async function visit(n: number) {
    const slot = slotOf(fixture, n);
    const base = `/api/v1/clinics/${slot.clinicId}/appointments`;
    const { patientId: id, treatmentId, doctorId, startsAt, otherDoctorId } = slot;
    const make = (name: string, path: string, body: unknown, version?: number): Command => ({
      key: `drill-key-${n}-${name}`,
      path,
      body: JSON.stringify(body),
      ...(version ? { ifMatch: `"${version}"` } : {}),
    });
    const booked = await command(make("book", base, { patient: { id }, treatmentId, doctorId, startsAt }));
    if (!booked) return;
    const of = `${base}/${(JSON.parse(booked.text) as { id: string }).id}`;
    let version = 1;
    if (n % 2 === 0 && (await command(make("move", `${of}/reschedule`, { startsAt, doctorId: otherDoctorId }, version)))) version += 1;
    if (n % 3 === 0) await command(make("cancel", `${of}/cancel`, { reasonCode: "PATIENT_REQUEST" }, version));
  }

  const going_ = (async () => {
    while (going) {
      if (!held && visits.size < visitsAtOnce) {
        const one: Promise<void> = visit(next()).finally(() => visits.delete(one));
        visits.add(one);
      }
      await sleep(1000 / perSecond);
    }
  })();
  return {
    acknowledged,
    refused,
    troubles,
    retries: () => retries,
    open: () => open,
    hold: async () => {
      held = true;
      await Promise.all(visits);
      return () => {
        held = false;
      };
    },
    stop: async (timeoutMs) => {
      going = false;
      await going_;
      await Promise.race([Promise.all(visits), sleep(timeoutMs, undefined, { ref: false })]);
      givenUp = true;
      await Promise.all(visits);
    },
  };
}

type Answer = { ok: boolean; status: number; text: string; isRetryable: boolean; isReplay: boolean };

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

/** One try, over within `timeoutMs` whatever the server does; undefined when no whole answer came. (fetch was seen to wait for a killed server for ever.) */
export function send(origin: string, token: string, command: Command, timeoutMs: number): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const request = http.request(`${origin}${command.path}`, {
      agent,
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(command.body),
        "idempotency-key": command.key,
        ...(command.ifMatch ? { "if-match": command.ifMatch } : {}),
      },
    });
    const timer = setTimeout(() => request.destroy(), timeoutMs);
    const end = (answer?: Answer) => {
      clearTimeout(timer);
      resolve(answer);
    };
    request.once("error", () => end());
    request.once("close", () => end());
    request.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.once("error", () => end());
      response.once("end", () => {
        const status = response.statusCode ?? 0;
        const ok = status >= 200 && status < 300;
        const isReplay = response.headers["idempotent-replayed"] === "true";
        end({ ok, status, text, isReplay, isRetryable: !ok && saysRetry(status, text) });
      });
    });
    request.end(command.body);
  });
}

function codeOf(text: string): string {
  try {
    return (JSON.parse(text) as { code?: string }).code ?? "";
  } catch {
    return text.slice(0, 60);
  }
}

/** A problem says itself whether the same request may be sent again; what is no problem document came from no route of ours. */
function saysRetry(status: number, text: string): boolean {
  try {
    return (JSON.parse(text) as { retryable?: boolean }).retryable === true;
  } catch {
    return status >= 500;
  }
}
