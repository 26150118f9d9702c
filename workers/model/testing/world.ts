import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { parseDigestKeys } from "@/server/canonical-hash";
import { systemClock } from "@/server/clock";
import { cancelAppointment } from "@/server/domain/appointments/cancel-appointment";
import { changeStatus } from "@/server/domain/appointments/change-status";
import { createAppointment } from "@/server/domain/appointments/create-appointment";
import { rescheduleAppointment } from "@/server/domain/appointments/reschedule-appointment";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import type { EventLog, LogRecord } from "@/server/domain/event-log/port";
import type { CommandAnswer } from "@/server/domain/idempotency/types";
import { processBatch } from "@/server/domain/inbox/process-batch";
import { retryOnce } from "@/server/domain/inbox/retry-once";
import type { InboxRuntime } from "@/server/domain/inbox/types";
import { createCircuit } from "@/server/domain/notifications/circuit";
import { dispatchOnce } from "@/server/domain/notifications/dispatch-once";
import { mailboxProvider } from "@/server/domain/notifications/mailbox";
import { relayOnce } from "@/server/domain/outbox/relay-once";
import type { PersonActor } from "@/server/domain/scope/actor";
import { openPostgresLog, preparePostgresLog } from "@/server/event-log/postgres";
import { at } from "@/server/http/operations/testing";
import { newUuid } from "@/server/ids";
import { consumersOf, logicalConsumers } from "@/workers/logical-consumers";
import type { Sent, Wish } from "./model";

const ring = parseDigestKeys(`k1:${Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64")}`);
const control = { signal: new AbortController().signal, heartbeat: async () => {} };
const topic = "appointment.v1";

/** The product itself: real commands, relay, consumers, scheduler and dispatcher on a real database. */
export class World {
  /** Each run of a property has a day of its own. */
  day = 0;
  private read = new Map<number, number>();
  readonly circuit = createCircuit(systemClock);

  private constructor(
    readonly db: TestDatabase,
    readonly fixture: ClinicFixture,
    readonly log: EventLog,
    private readonly runtime: InboxRuntime,
  ) {}

  static async open(): Promise<World> {
    const db = await createTestDatabase();
    const fixture = await createClinicFixture(db.migrator);
    await preparePostgresLog(db.worker);
    const log = openPostgresLog(db.worker);
    return new World(db, fixture, log, {
      db: db.worker,
      worker: "consumer-1",
      logId: await log.logId(),
      ring,
      clock: systemClock,
      random: () => 0,
    });
  }

  startsAt(slot: number): string {
    const minutes = 9 * 60 + slot * 15;
    const clock = `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
    return at("Europe/Berlin", clock, 7 * this.day);
  }

  send(sent: Sent, key: string): Promise<CommandAnswer> {
    const { ber, tenantGroupId } = this.fixture.t1;
    const roles: PersonActor["roles"] = [{ role: "FRONT_DESK", clinicId: ber.id }];
    const actor: PersonActor = { kind: "person", tenantGroupId, clinicIds: [ber.id], userId: newUuid(), ref: "ST-000001", roles };
    const deps = { db: this.db.web, digestKeys: ring, retentionHours: 24, waitMs: 2_000 };
    const call = (body: unknown) => ({ actor, clinicId: ber.id, key, requestId: newUuid(), method: "MUTATION", body });
    if (sent.kind === "book") {
      const input = this.bookingOf(sent.wish);
      return createAppointment(deps, call(input), input);
    }
    const change = (body: unknown) => ({ ...call(body), appointmentId: sent.visit.id, expectedVersion: String(sent.version) });
    switch (sent.kind) {
      case "move": {
        const input = { startsAt: this.startsAt(sent.slot), doctorId: ber.doctors[sent.doctor]?.id as string };
        return rescheduleAppointment(deps, change(input), input);
      }
      case "cancel":
        return cancelAppointment(deps, change({ reasonCode: "OTHER" }), { reasonCode: "OTHER" });
      case "release": {
        const input = { to: "PENDING_RESCHEDULE", reasonCode: "OTHER" } as const;
        return changeStatus(deps, change(input), input);
      }
    }
  }

  private bookingOf({ slot, doctor, patient }: Wish) {
    const { ber, patients } = this.fixture.t1;
    return {
      patient: { id: patients[patient]?.id as string },
      treatmentId: ber.treatments.VISIT15,
      doctorId: ber.doctors[doctor]?.id as string,
      startsAt: this.startsAt(slot),
    };
  }

  relay = (worker = "relay-1", limit = 3) => relayOnce(this.db.worker, this.log, { worker, clock: systemClock, random: () => 0, limit });

  /** Delivers what no consumer has read yet; `keepOffsets` as a consumer does that dies before it stores them. */
  async consume(keepOffsets = false): Promise<number> {
    const before = new Map(this.read);
    const records = await this.recordsFrom((partition) => this.read.get(partition) ?? 0);
    for (const { position } of records) this.read.set(position.partition, Number(position.offset) + 1);
    try {
      await this.deliver(records);
    } finally {
      if (keepOffsets) this.read = before;
    }
    return records.length;
  }

  /** Any record that is in the log, once more. */
  async redeliver(which: number): Promise<void> {
    const records = await this.recordsFrom((partition) => Math.max(0, (this.read.get(partition) ?? 0) - 2));
    const one = records[which % Math.max(1, records.length)];
    if (one && Number(one.position.offset) < (this.read.get(one.position.partition) ?? 0)) await this.deliver([one]);
  }

  private async deliver(records: LogRecord[]): Promise<void> {
    if (records.length === 0) return;
    for (const consumer of consumersOf("appointment.v1")) await processBatch(this.runtime, consumer, records, control);
  }

  private async recordsFrom(from: (partition: number) => number): Promise<LogRecord[]> {
    const found: LogRecord[] = [];
    for (const { partition, high } of await this.log.watermarks(topic)) {
      const start = from(partition);
      const offsets = Array.from({ length: Math.max(0, Number(high) - start) }, (_, n) => String(start + n));
      if (offsets.length === 0) continue;
      const read = await this.log.readAt(topic, partition, offsets, { deadlineMs: 5_000 });
      for (const record of read.values()) if (record !== "EXPIRED") found.push(record);
    }
    return found;
  }

  retry = () => retryOnce(this.runtime, this.log, logicalConsumers, control);

  dispatch = () =>
    dispatchOnce(
      this.db.worker,
      { provider: mailboxProvider(this.db.worker, "dispatch-1"), circuit: this.circuit, clock: systemClock, worker: "dispatch-1" },
      { recipientPerMinuteMax: 100_000 }, // runs of a property have the same few patients, within one minute
    );

  /** What waiting would bring: leases of the dead run out, and what waits is due. */
  timePasses = () =>
    this.db.superuser.$client.unsafe(`
      update outbox set lease_until = clock_timestamp() - interval '1 s' where state = 'CLAIMED';
      update outbox set next_attempt_at = null where state = 'PENDING';
      update inbox set lease_until = clock_timestamp() - interval '1 s' where state = 'PROCESSING';
      update inbox set next_attempt_at = clock_timestamp() where state = 'RETRYABLE' and next_attempt_at is not null;
      update notification_intents set lease_until = clock_timestamp() - interval '1 s' where state = 'SENDING';
      update notification_intents set next_attempt_at = clock_timestamp() where state = 'RETRY_WAIT'`);

  /** Until nothing is left to publish, to consume, to retry or to send. */
  async drain(): Promise<void> {
    for (let quiet = 0, rounds = 0; quiet < 2; rounds++) {
      if (rounds > 200) throw new Error("it does not come to rest");
      await this.timePasses();
      const { claimed } = await this.relay("relay-1", 100);
      const moved = claimed + (await this.consume()) + (await this.retry()).due + (await this.dispatch()).claimed;
      quiet = moved === 0 ? quiet + 1 : 0;
    }
  }
}
