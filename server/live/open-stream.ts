import type { ChangeWatch } from "./watch-changes";

const recheckMs = 15_000;
/** Shorter than a session; the browser then opens a new stream by itself. */
const lifeMs = 30 * 60_000;

/**
 * One stream of server-sent events. Every 15 s it asks whether the person may stay (and sends a comment, so that a dead connection is noticed);
 * it ends with any of `signals`, with a right that was lost, and after 30 minutes.
 */
export function openStream(options: {
  watch: ChangeWatch;
  actor: { tenantGroupId: string; clinicIds: readonly string[] };
  mayStay: () => Promise<boolean>;
  signals: AbortSignal[];
  recheckEveryMs?: number;
}): Response {
  const { watch, actor, mayStay, signals } = options;
  const encoder = new TextEncoder();
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => {
        if ((controller.desiredSize ?? 0) > -64) controller.enqueue(encoder.encode(text)); // a reader that stopped reading gets no queue of its own
      };
      const forget = watch.add({ ...actor, onChange: (hint) => send(`event: change\ndata: ${JSON.stringify(hint)}\n\n`) });
      const recheck = setInterval(async () => {
        const stays = await mayStay().catch(() => true); // an outage of the database shows nothing either
        if (stays) send(": still here\n\n");
        else end();
      }, options.recheckEveryMs ?? recheckMs);
      const life = setTimeout(() => end(), lifeMs);
      end = () => {
        end = () => {};
        forget();
        clearInterval(recheck);
        clearTimeout(life);
        for (const signal of signals) signal.removeEventListener("abort", onAbort);
        try {
          controller.close();
        } catch {
          // the reader was gone first
        }
      };
      const onAbort = () => end();
      for (const signal of signals) signal.addEventListener("abort", onAbort);
      if (signals.some((signal) => signal.aborted)) end();
      else send("retry: 2000\n\n");
    },
    cancel: () => end(),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" } });
}
