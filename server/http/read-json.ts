import { AppError } from "@/server/app-error";
import { parseStrictJson } from "@/server/canonical-hash";

export const bodyBytesMax = 64 * 1024;
/** A body that trickles in holds a request open: after this it is refused. */
const bodyWaitMs = 10_000;

/** The body as strict JSON: application/json, UTF-8, at most 64 KiB. Throws AppError 400, 408, 413 or 415. */
export async function readJson(request: Request): Promise<unknown> {
  return parseStrictJson(await readJsonText(request));
}

/** The same body as text, unparsed. A NUL character is refused here: no text column can hold one. */
export async function readJsonText(request: Request, waitMs = bodyWaitMs): Promise<string> {
  assertJsonType(request.headers);
  const text = decodeUtf8(await readBytes(request, waitMs));
  if (escapedNul.test(text)) throw new AppError("json-invalid", "The body holds a NUL character.");
  return text;
}

/** `\u0000` in a JSON text, unless its backslash is itself escaped. */
export const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/;

export function assertJsonType(headers: Headers): void {
  const [type, ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="));
  const isUtf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset);
  if (type?.trim() !== "application/json" || !isUtf8 || headers.has("content-encoding")) throw new AppError("media-type-unsupported");
}

/** Counts while it reads: a length that was announced, or not announced, is not believed. */
async function readBytes(request: Request, waitMs: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > bodyBytesMax) throw new AppError("body-too-large");
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const deadline = deadlineAfter(waitMs);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), deadline.passed]);
      if (done) return Buffer.concat(chunks);
      length += value.byteLength;
      if (length > bodyBytesMax) throw new AppError("body-too-large");
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {}); // the sender may stop now
    throw error instanceof AppError ? error : new AppError("request-timeout", "The body ended before it was complete.");
  } finally {
    deadline.clear();
  }
}

function deadlineAfter(waitMs: number) {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AppError("request-timeout", `The body was not complete after ${waitMs} ms.`)), waitMs);
  });
  passed.catch(() => {});
  return { passed, clear: () => clearTimeout(timer) };
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new AppError("json-invalid", "The body is not UTF-8.");
  }
}
