/** One message, ready to hand over. Holds patient text: never logged, never stored outside a provider. */
export type Message = {
  /** The provider's idempotency key: the same on every attempt. */
  intentId: string;
  tenantGroupId: string;
  clinicId: string;
  address: string;
  subject: string;
  body: string;
  language: "en" | "ko";
};

/** Why a hand-over did not deliver: a code of the port, never a server's own text. */
export type ProviderReason =
  | "ADDRESS_INVALID"
  | "CALL_TIMEOUT"
  | "CONNECTION_FAILED"
  | "CONNECTION_LOST_AFTER_DATA"
  | "CONNECTION_TIMEOUT"
  | "MAILBOX_UNAVAILABLE"
  | "MESSAGE_INVALID"
  | "PROVIDER_FAILED"
  | "SENDER_REFUSED"
  | "SERVER_NOT_FOUND"
  | "SERVICE_CLOSING"
  | "SERVICE_REFUSED"
  | "SIGN_IN_REFUSED"
  /** What the mail server said about this message; the number is the word for it. */
  | `SMTP_${number}`;

/** How a hand-over ended. */
export type SendResult =
  | { outcome: "SENT"; reference: string }
  /**
   * Not delivered, and another attempt may help. An outage concerns every message, so it opens the circuit and costs no attempt.
   * `mayHaveArrived`: of a provider that is idempotent by key, whose answer was lost: handing over again is harmless, and tells.
   */
  | { outcome: "RETRY"; reason: ProviderReason; outage: boolean; mayHaveArrived?: true }
  /** Certainly not delivered, and no attempt will change that. */
  | { outcome: "REJECT"; reason: ProviderReason }
  /** It may have been delivered. */
  | { outcome: "UNKNOWN"; reason: ProviderReason };

export const sent = (reference: string): SendResult => ({ outcome: "SENT", reference });
export const retry = (reason: ProviderReason, outage = false): SendResult => ({ outcome: "RETRY", reason, outage });
export const reject = (reason: ProviderReason): SendResult => ({ outcome: "REJECT", reason });
export const unknown = (reason: ProviderReason): SendResult => ({ outcome: "UNKNOWN", reason });

export type Contact = { ref: string; email: string | null; phone: string | null };

/** The port: a mail server, an HTTP endpoint, the demo's mailbox. Handed to the dispatcher by the process that runs it. */
export type NotificationProvider = {
  name: string;
  /** True when a second hand-over under the same intent id delivers nothing more: only then is a lost answer sent again. */
  idempotentByKey: boolean;
  /** Where this provider reaches a patient; null: it cannot. */
  addressOf(contact: Contact): string | null;
  /** Answers as a value. `signal` aborts at the call's time-out. */
  send(message: Message, options: { signal: AbortSignal }): Promise<SendResult>;
  close?(): Promise<void>;
};
