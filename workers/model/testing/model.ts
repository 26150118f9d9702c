// What the product promises, in memory: places on a grid of slots, visits with a version, answers under keys, events in order. No SQL, no clock.

export type Status = "CONFIRMED" | "PENDING_RESCHEDULE" | "CANCELLED";
export type Visit = { id: string; slot: number; doctor: number; patient: number; status: Status; version: number; told: string[] };
export type Wish = { slot: number; doctor: number; patient: number };
export type Answered = { status: number; code?: string };

/** A command as it was sent: sent again it is the same one. */
export type Sent =
  | { kind: "book"; wish: Wish }
  | { kind: "move"; visit: Visit; version: number; slot: number; doctor: number }
  | { kind: "cancel"; visit: Visit; version: number }
  | { kind: "release"; visit: Visit; version: number };

export class Model {
  readonly visits: Visit[] = [];
  /** In the order in which their keys were taken. */
  readonly commands: { sent: Sent; key: string; answer: string }[] = [];

  private holder({ slot, doctor, patient }: Wish, except?: Visit): Visit | undefined {
    return this.visits.find(
      (visit) =>
        visit !== except && visit.status === "CONFIRMED" && visit.slot === slot && (visit.doctor === doctor || visit.patient === patient),
    );
  }

  /** What the command must be answered, and what it does; `id` names the visit that a booking makes. */
  decide(sent: Sent): { answer: Answered; apply: (id: string) => void } {
    const nothing = () => {};
    const refused = (status: number, code: string) => ({ answer: { status, code }, apply: nothing });
    if (sent.kind === "book") {
      if (this.holder(sent.wish)) return refused(409, "slot-taken");
      const made = { ...sent.wish, status: "CONFIRMED" as const, version: 1, told: ["BOOKED"] };
      return { answer: { status: 201 }, apply: (id) => void this.visits.push({ id, ...made }) };
    }
    const { visit } = sent;
    if (sent.version !== visit.version) return refused(412, "version-stale");
    if (visit.status === "CANCELLED") return refused(409, "move-not-allowed");
    switch (sent.kind) {
      case "move": {
        const isThere = visit.status === "CONFIRMED" && visit.slot === sent.slot && visit.doctor === sent.doctor;
        if (isThere) return { answer: { status: 200 }, apply: nothing };
        if (this.holder({ slot: sent.slot, doctor: sent.doctor, patient: visit.patient }, visit)) return refused(409, "slot-taken");
        const apply = () => this.step(visit, { slot: sent.slot, doctor: sent.doctor, status: "CONFIRMED" }, "MOVED");
        return { answer: { status: 200 }, apply };
      }
      case "cancel":
        return { answer: { status: 200 }, apply: () => this.step(visit, { status: "CANCELLED" }, "CANCELLED") };
      case "release":
        if (visit.status === "PENDING_RESCHEDULE") return refused(409, "move-not-allowed");
        return { answer: { status: 200 }, apply: () => this.step(visit, { status: "PENDING_RESCHEDULE" }) };
    }
  }

  private step(visit: Visit, change: Partial<Visit>, told?: string): void {
    Object.assign(visit, change, { version: visit.version + 1 });
    if (told) visit.told.push(told);
  }
}
