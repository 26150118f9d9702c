import { Readable } from "node:stream";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import { parseConnectionUrl } from "nodemailer/lib/shared/index.js";
import SMTPConnection from "nodemailer/lib/smtp-connection/index.js";
import {
  type Message,
  type NotificationProvider,
  reject,
  retry,
  type SendResult,
  sent,
  unknown,
} from "@/server/domain/notifications/provider";

type Options = {
  /** smtp://user:password@host:port (STARTTLS when offered) or smtps://… */
  url: string;
  /** Sender, e.g. `Clinic <no-reply@clinic.example>` */
  from: string;
  /** Each wait for the server; below the dispatcher's time-out for the whole call. */
  timeoutMs?: number;
};

/**
 * Mail by SMTP, one connection a message. SMTP has no idempotency key: the Message-ID made from the intent id lets a mailbox drop a second copy, but no
 * server promises to, so a lost answer is UNKNOWN and never sent again. nodemailer's pool is left out because it re-sends by itself when a connection is lost.
 */
export function smtpProvider({ url, from, timeoutMs = 4_000 }: Options): NotificationProvider {
  const connectTo = {
    ...parseConnectionUrl(url),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  };
  return {
    name: "smtp",
    idempotentByKey: false,
    addressOf: ({ email }) => email,
    send: async (message, { signal }) => {
      const composed = new MailComposer(mailOf(message, from)).compile();
      const bytes = await composed.build().catch(() => undefined);
      if (!bytes) return reject("MESSAGE_INVALID"); // nobody was called yet, so this is no lost answer
      const connection = new SMTPConnection(connectTo as SMTPConnection.Options);
      return handOver(connection, connectTo.auth as Auth, composed.getEnvelope(), bytes, message, signal);
    },
  };
}

type Auth = { user: string; pass: string } | undefined;

const mailOf = (message: Message, from: string) => ({
  from,
  to: message.address,
  subject: message.subject,
  text: message.body,
  messageId: messageId(message.intentId, from),
  headers: { "Auto-Submitted": "auto-generated", "Content-Language": message.language }, // RFC 3834: no out-of-office answers, please
});

/** The same for every attempt at one intent. */
const messageId = (intentId: string, from: string) => `<${intentId}@${/@([\w.-]+)/.exec(from)?.[1] ?? "localhost"}>`;

/** nodemailer tells a lost connection apart from nothing: whether the server had asked for the message is known by whether it was read. */
function handOver(
  connection: SMTPConnection,
  auth: Auth,
  envelope: { from: string | false; to: string[] },
  bytes: Buffer,
  message: Message,
  signal: AbortSignal,
): Promise<SendResult> {
  let mayHaveArrived = false;
  const body = new Readable({
    read() {
      mayHaveArrived = true;
      this.push(bytes);
      this.push(null);
    },
  });
  return new Promise((resolve) => {
    const end = (result: SendResult) => {
      resolve(result);
      signal.removeEventListener("abort", abort);
      if (result.outcome === "SENT") connection.quit();
      else connection.close();
    };
    const fail = (error: SmtpError) => end(classify(error, mayHaveArrived));
    const abort = () => end(mayHaveArrived ? unknown("CALL_TIMEOUT") : retry("CALL_TIMEOUT", true));
    signal.addEventListener("abort", abort, { once: true });
    connection.on("error", (error) => fail(error as SmtpError));
    connection.connect((connectError) => {
      if (connectError) return fail(connectError as SmtpError);
      const mail = () =>
        connection.send(envelope as never, body, (error) => {
          if (error) fail(error as SmtpError);
          else end(sent(messageId(message.intentId, String(envelope.from))));
        });
      if (!auth) return mail();
      connection.login(auth as never, (loginError) => (loginError ? fail(loginError as SmtpError) : mail()));
    });
  });
}

export type SmtpError = { code?: string; command?: string; responseCode?: number };

/**
 * What an error says about this message. Only an answer to RCPT TO or to the message itself concerns its recipient; greeting, sign-in and sender are
 * ours, and would refuse every message alike: an outage, or a wrong password would exhaust all of them. 4yz may pass (RFC 5321 §4.2.1), 5yz will not.
 */
export function classify({ code, command, responseCode }: SmtpError, mayHaveArrived: boolean): SendResult {
  const ofThisMessage = command === "RCPT TO" || command === "DATA";
  if (responseCode === 421) return retry("SERVICE_CLOSING", true); // the server's word that it did not take it, at any stage
  if (responseCode && ofThisMessage) return responseCode >= 500 ? reject(`SMTP_${responseCode}`) : retry(`SMTP_${responseCode}`);
  if (code === "EAUTH") return retry("SIGN_IN_REFUSED", true);
  if (responseCode && command === "MAIL FROM") return retry("SENDER_REFUSED", true);
  if (responseCode) return retry("SERVICE_REFUSED", true);
  if (code === "EENVELOPE") return reject("ADDRESS_INVALID"); // refused by the client itself before anything was sent
  if (mayHaveArrived) return unknown("CONNECTION_LOST_AFTER_DATA");
  return retry(code === "ETIMEDOUT" ? "CONNECTION_TIMEOUT" : code === "EDNS" ? "SERVER_NOT_FOUND" : "CONNECTION_FAILED", true);
}
