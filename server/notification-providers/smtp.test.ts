import { randomUUID } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, it } from "vitest";
import type { Message } from "@/server/domain/notifications/provider";
import { classify, smtpProvider } from "./smtp";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Mail = { from: string; to: string[]; raw: string };

/** A real SMTP server on a free port; answers as told. */
async function serve(options: SMTPServerOptions = {}): Promise<{ url: string; mails: Mail[]; server: SMTPServer }> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({ from: mailFrom ? mailFrom.address : "", to: rcptTo.map((to) => to.address), raw: Buffer.concat(chunks).toString() });
        callback();
      });
    },
    ...options,
  });
  server.on("error", () => {}); // a client that closes early is what some of these tests are about
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { url: `smtp://127.0.0.1:${(server.server.address() as { port: number }).port}`, mails, server };
}

const message = (over: Partial<Message> = {}): Message => ({
  intentId: randomUUID(),
  tenantGroupId: randomUUID(),
  clinicId: randomUUID(),
  address: "mina@example.invalid",
  subject: "예약 안내: 2027년 7월 6일(화) 15:00",
  body: "안녕하세요.\n.\nline after a dot\n",
  language: "ko",
  ...over,
});
const from = "Clinic <no-reply@clinic.invalid>";
const send = (url: string, of = message(), timeoutMs = 2_000) =>
  smtpProvider({ url, from, timeoutMs }).send(of, { signal: new AbortController().signal });
const refuse = (responseCode: number) => Object.assign(new Error("no"), { responseCode });

describe("SMTP, against a real server", () => {
  it("delivers, with a Message-ID made from the intent id that is the same on every attempt", async () => {
    const { url, mails } = await serve();
    const of = message();
    const id = `<${of.intentId}@clinic.invalid>`;
    expect(await send(url, of)).toEqual({ outcome: "SENT", reference: id });
    expect(await send(url, of)).toEqual({ outcome: "SENT", reference: id });
    expect(mails).toHaveLength(2);
    expect(mails[0]).toMatchObject({ from: "no-reply@clinic.invalid", to: ["mina@example.invalid"] });
    for (const mail of mails) expect(mail.raw).toContain(`Message-ID: ${id}`);
    expect(mails[0]?.raw).toContain("Auto-Submitted: auto-generated");
    expect(mails[0]?.raw).toMatch(/Subject: =\?UTF-8\?/);
  });

  it("signs in when the address names a user", async () => {
    const { url, mails } = await serve({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        username === "clinic" && password === "s3cret" ? done(null, { user: "clinic" }) : done(refuse(535)),
    });
    const withUser = (user: string) => url.replace("smtp://", `smtp://${user}@`);
    expect(await send(withUser("clinic:s3cret"))).toMatchObject({ outcome: "SENT" });
    expect(await send(withUser("clinic:wrong"))).toEqual({ outcome: "RETRY", reason: "SIGN_IN_REFUSED", outage: true });
    expect(mails).toHaveLength(1);
  });

  it("a recipient who is refused for now is tried again, one who is refused for good is not", async () => {
    const temporary = await serve({ onRcptTo: (_to, _session, done) => done(refuse(450)) });
    expect(await send(temporary.url)).toEqual({ outcome: "RETRY", reason: "SMTP_450", outage: false });
    const final = await serve({ onRcptTo: (_to, _session, done) => done(refuse(550)) });
    expect(await send(final.url)).toEqual({ outcome: "REJECT", reason: "SMTP_550" });
  });

  it("a message that is refused after it was read was certainly not delivered", async () => {
    const answer = (code: number) =>
      serve({ onData: (stream, _session, done) => void stream.resume().on("end", () => done(refuse(code))) });
    expect(await send((await answer(452)).url)).toEqual({ outcome: "RETRY", reason: "SMTP_452", outage: false });
    expect(await send((await answer(554)).url)).toEqual({ outcome: "REJECT", reason: "SMTP_554" });
  });

  it("a sender or a greeting that is refused concerns every message: an outage, not the end of this one", async () => {
    const sender = await serve({ onMailFrom: (_from, _session, done) => done(refuse(550)) });
    expect(await send(sender.url)).toEqual({ outcome: "RETRY", reason: "SENDER_REFUSED", outage: true });
    const greeting = await serve({ onConnect: (_session, done) => done(refuse(554)) });
    expect(await send(greeting.url)).toMatchObject({ outcome: "RETRY", outage: true });
  });

  it("nobody listens: an outage", async () => {
    const { url, server } = await serve();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    stops.pop();
    expect(await send(url)).toEqual({ outcome: "RETRY", reason: "CONNECTION_FAILED", outage: true });
  });

  it("the connection is lost before the message: tried again; after it: UNKNOWN", async () => {
    const before = await serve({ onRcptTo: (_to, session) => cut(before.server, session.id) });
    expect(await send(before.url)).toMatchObject({ outcome: "RETRY", outage: true });
    const after = await serve({ onData: (stream, session) => void stream.resume().on("end", () => cut(after.server, session.id)) });
    expect(await send(after.url)).toEqual({ outcome: "UNKNOWN", reason: "CONNECTION_LOST_AFTER_DATA" });
  });

  it("a server that says nothing more is given up: before the message an outage, after it UNKNOWN", async () => {
    const mute = createServer(() => {});
    const sockets = new Set<Socket>();
    mute.on("connection", (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    stops.push(async () => {
      for (const socket of sockets) socket.destroy();
      mute.close();
    });
    expect(await send(`smtp://127.0.0.1:${(mute.address() as { port: number }).port}`, message(), 100)).toMatchObject({
      outcome: "RETRY",
      outage: true,
    });
    const after = await serve({ closeTimeout: 10, onData: (stream) => void stream.resume() });
    expect(await send(after.url, message(), 300)).toMatchObject({ outcome: "UNKNOWN" });
  });

  it("stops when the call's time is over", async () => {
    const server = await serve({ closeTimeout: 10, onRcptTo: () => {} });
    const call = new AbortController();
    const result = smtpProvider({ url: server.url, from }).send(message(), { signal: call.signal });
    setTimeout(() => call.abort(), 50);
    expect(await result).toEqual({ outcome: "RETRY", reason: "CALL_TIMEOUT", outage: true });
  });

  it("a patient without a mail address has none here", () => {
    expect(
      smtpProvider({ url: "smtp://127.0.0.1:1", from }).addressOf({ ref: "PT-000001", email: null, phone: "+49 30 1234567" }),
    ).toBeNull();
  });
});

describe("what an error says", () => {
  it("421 at any stage is an outage and never a lost answer", () => {
    expect(classify({ code: "EMESSAGE", command: "DATA", responseCode: 421 }, true)).toEqual({
      outcome: "RETRY",
      reason: "SERVICE_CLOSING",
      outage: true,
    });
  });
  it("an address that the client refuses itself is no outage", () => {
    expect(classify({ code: "EENVELOPE", command: "API" }, false)).toEqual({ outcome: "REJECT", reason: "ADDRESS_INVALID" });
  });
});

/** Destroys the server's side of a session, as a crash or a cut cable does. */
function cut(server: SMTPServer, sessionId: string) {
  for (const connection of server.connections as Set<{ id: string; _socket: Socket }>)
    if (connection.id === sessionId) connection._socket.destroy();
}
