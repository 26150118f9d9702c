"use client";

import { type Query, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

type Area = "appointments" | "delivery";

/** Reads that poll, by procedure, and which changes concern them. Each is read again only while it would poll: what is held still stays so. */
const concerned: Record<string, readonly Area[]> = {
  "desk.day": ["appointments"],
  "desk.week": ["appointments"],
  "delivery.head": ["delivery"],
  "delivery.counts": ["delivery"],
  "delivery.needsDecision": ["delivery"],
  "planningViews.head": ["appointments", "delivery"],
  "planningViews.counts": ["appointments", "delivery"],
  "planningViews.needsDecision": ["appointments", "delivery"],
  "audit.list": ["appointments", "delivery"],
  "stories.head": ["appointments", "delivery"],
  "stories.records": ["appointments", "delivery"],
};
const apartMs = 1_000;
const reopenMs = 15_000;

/** Whether somebody shows this read and lets it go on. */
function isPolling(query: Query): boolean {
  return query.observers.some(({ options: { refetchInterval: every } }) => Boolean(typeof every === "function" ? every(query) : every));
}

/** Whether a change in one of these areas is a reason to read it again now. */
export function isConcerned(query: Query, areas: ReadonlySet<Area>): boolean {
  const [path] = query.queryKey as [unknown];
  const of = Array.isArray(path) ? concerned[path.join(".")] : undefined;
  return of?.some((area) => areas.has(area)) === true && isPolling(query);
}

/** Hands on what was gathered, at most once a second and never while the last hand-over is at work; what comes meanwhile goes with the next one. */
export function gather(read: (areas: ReadonlySet<Area>) => Promise<unknown>): { add(...areas: Area[]): void; stop(): void } {
  let waiting = new Set<Area>();
  let busy = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = async () => {
    if (busy || waiting.size === 0) return;
    busy = true;
    const areas = waiting;
    waiting = new Set();
    await Promise.all([read(areas).catch(() => {}), new Promise((resolve) => (timer = setTimeout(resolve, apartMs)))]);
    busy = false;
    next();
  };
  return {
    add: (...areas) => {
      for (const area of areas) waiting.add(area);
      next();
    },
    stop: () => {
      clearTimeout(timer); // the hand-over under way is the last one
      waiting = new Set();
    },
  };
}

/**
 * Hints of the server about changes, while this page is in sight: one stream a page, none of a hidden tab (a browser keeps six connections to a
 * server). A hint says where to look; the reads that poll are read again at once. Without a stream they poll as before.
 */
export function LiveHints() {
  const client = useQueryClient();
  useEffect(() => {
    const again = gather((areas) => client.refetchQueries({ type: "active", predicate: (query) => isConcerned(query, areas) }));
    let source: EventSource | undefined;
    let reopen: ReturnType<typeof setTimeout> | undefined;
    const close = () => {
      clearTimeout(reopen);
      source?.close();
      source = undefined;
    };
    const open = () => {
      close();
      if (document.visibilityState === "hidden") return;
      source = new EventSource("/api/live");
      source.addEventListener("again", () => again.add("appointments", "delivery"));
      source.addEventListener("change", ({ data }: MessageEvent<string>) => again.add((JSON.parse(data) as { area: Area }).area));
      // what ended goes on by itself; what was refused does not
      source.onerror = () => {
        if (source?.readyState === EventSource.CLOSED) reopen = setTimeout(open, reopenMs * (1 + Math.random()));
      };
    };
    open();
    document.addEventListener("visibilitychange", open);
    return () => {
      document.removeEventListener("visibilitychange", open);
      again.stop();
      close();
    };
  }, [client]);
  return null;
}
