import type { ChangeWatch } from "./watch-changes";

const recheckMs = 15_000;
/** The browser then opens a new stream by itself. */
const lifeMs = 30 * 60_000;
/** An outage of the database shows nothing either, but a right that cannot be asked for is not taken for granted for longer than a minute. */
const unansweredMax = 4;
const again = "event: again\ndata: {}\n\n";

/**
 * One stream of server-sent events: `again` (read everything again; the first one says that nothing is missed from here on) and `change` with a hint.
 * Every 15 s it asks whether the person may stay (and sends a comment, so that a dead connection is noticed); it ends with any of `signals`, with a
 * right that was lost or could not be asked for four times in a row, with the session (`endsAtMs`, epoch ms), and after 30 minutes.
 */
export function openStream(options: {
  watch: ChangeWatch;
  actor: { tenantGroupId: string; clinicIds: readonly string[] };
  mayStay: () => Promise<boolean>;
  endsAtMs: number;
  signals: AbortSignal[];
  recheckEveryMs?: number;
}): Response {
  const { watch, actor, mayStay, signals } = options;
  const encoder = new TextEncoder();
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let leftOut = false;
      const send = (text: string) => {
        leftOut ||= (controller.desiredSize ?? 0) <= -64; // a reader that stopped reading gets no queue of its own
        if (!leftOut) controller.enqueue(encoder.encode(text));
      };
      const sayAgain = () => {
        leftOut = false;
        send(again);
      };
      const forget = watch.add({
        ...actor,
        onChange: (hint) => send(`event: change\ndata: ${JSON.stringify(hint)}\n\n`),
        onAgain: sayAgain,
      });
      let unanswered = 0;
      const recheck = setInterval(async () => {
        const stays = await mayStay().catch(() => undefined);
        unanswered = stays === undefined ? unanswered + 1 : 0;
        if (stays === false || unanswered >= unansweredMax) end();
        else if (leftOut) sayAgain();
        else send(": still here\n\n");
      }, options.recheckEveryMs ?? recheckMs);
      const life = setTimeout(() => end(), Math.max(0, Math.min(lifeMs, options.endsAtMs - Date.now())));
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
