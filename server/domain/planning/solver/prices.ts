// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import type { Kind, Model } from "./model";

/** What room costs: by cell of a doctor (1 = the doctor is full), of the clinic and of a device, and one more visit by day of a doctor. */
export type Prices = { doctor: Float64Array; clinic: Float64Array; equipment: Float64Array; load: Float64Array };

export const noPrices = ({ doctorCount, equipmentCount, cellCount, days }: Model): Prices => ({
  doctor: new Float64Array(doctorCount * cellCount),
  clinic: new Float64Array(cellCount),
  equipment: new Float64Array(equipmentCount * cellCount),
  load: new Float64Array(doctorCount * days),
});

export const copyPrices = ({ doctor, clinic, equipment, load }: Prices): Prices => ({
  doctor: doctor.slice(),
  clinic: clinic.slice(),
  equipment: equipment.slice(),
  load: load.slice(),
});

/** What the places of one kind cost in room, at given prices. */
export type KindPrices = {
  /** [doctor × starts + start], with the cheapest devices; Infinity where it may not begin. */
  place: Float64Array;
  /** By start: the cheapest doctor. */
  least: Float64Array;
  leastOfAll: number;
  /** By start. */
  option: Int16Array;
};

/** Visits of one kind pay the same for a place, so this is done once for a kind and not for each visit. */
export class PriceTables {
  readonly ofKind = new Map<Kind, KindPrices>();
  private readonly sums: Prices;

  constructor(private readonly model: Model) {
    const { doctorCount, equipmentCount, cellCount } = model;
    this.sums = {
      doctor: new Float64Array(doctorCount * (cellCount + 1)),
      clinic: new Float64Array(cellCount + 1),
      equipment: new Float64Array(equipmentCount * (cellCount + 1)),
      load: new Float64Array(0),
    };
    for (const kind of model.kinds)
      this.ofKind.set(kind, {
        place: new Float64Array(doctorCount * model.startCount),
        least: new Float64Array(model.startCount),
        leastOfAll: 0,
        option: new Int16Array(model.startCount),
      });
  }

  update(prices: Prices): void {
    const { cellCount } = this.model;
    addUp(prices.doctor, this.sums.doctor, cellCount);
    addUp(prices.clinic, this.sums.clinic, cellCount);
    addUp(prices.equipment, this.sums.equipment, cellCount);
    for (const [kind, table] of this.ofKind) this.fill(kind, table, prices.load);
  }

  /** Of the devices of one option at a start. */
  equipmentPrice(kind: Kind, option: number, start: number): number {
    const { cellCount } = this.model;
    let sum = 0;
    for (const { equipment, units, from, until } of kind.options[option]!)
      sum += units * between(this.sums.equipment, equipment * (cellCount + 1), from[start]!, until[start]!);
    return sum;
  }

  private fill(kind: Kind, table: KindPrices, load: Float64Array): void {
    const { model, sums } = this;
    const { startCount, doctorCount, cellCount, days, dayOf } = model;
    const shared = new Float64Array(startCount);
    for (let start = 0; start < startCount; start += 1) {
      let cheapest = kind.options.length > 0 ? Number.POSITIVE_INFINITY : 0;
      for (let option = 0; option < kind.options.length; option += 1) {
        const price = this.equipmentPrice(kind, option, start);
        if (price < cheapest) {
          cheapest = price;
          table.option[start] = option;
        }
      }
      shared[start] = cheapest + between(sums.clinic, 0, kind.visitFrom[start]!, kind.visitUntil[start]!);
    }
    table.least.fill(Number.POSITIVE_INFINITY);
    table.leastOfAll = Number.POSITIVE_INFINITY;
    for (let doctor = 0; doctor < doctorCount; doctor += 1) {
      const share = 1 / kind.limits[doctor]!;
      for (let start = 0; start < startCount; start += 1) {
        const place = doctor * startCount + start;
        if (kind.open[place] !== 1) {
          table.place[place] = Number.POSITIVE_INFINITY;
          continue;
        }
        const claim = between(sums.doctor, doctor * (cellCount + 1), kind.claimFrom[start]!, kind.claimUntil[start]!);
        const price = shared[start]! + share * claim + load[doctor * days + dayOf[start]!]!;
        table.place[place] = price;
        if (price < table.least[start]!) table.least[start] = price;
        if (price < table.leastOfAll) table.leastOfAll = price;
      }
    }
  }
}

/** Running sums, so that the price of any span is one subtraction. */
function addUp(prices: Float64Array, sums: Float64Array, cellCount: number): void {
  for (let row = 0, base = 0; base < prices.length; row += 1, base += cellCount) {
    let sum = 0;
    const target = row * (cellCount + 1);
    for (let cell = 0; cell < cellCount; cell += 1) {
      sums[target + cell] = sum;
      sum += prices[base + cell]!;
    }
    sums[target + cellCount] = sum;
  }
}

const between = (sums: Float64Array, base: number, from: number, until: number): number => sums[base + until]! - sums[base + from]!;
