// Loaded before a built process in a drill: its wall clock is wrong by SKEW_MS, for everything in it. The product has no switch for that. The monotonic
// clock stays right, as it does on a machine whose wall clock is wrong.
const skewMs = Number(process.env.SKEW_MS);
const RealDate = Date;
class SkewedDate extends RealDate {
  static parse = RealDate.parse; // Next makes a Date of its own from these, and only from those that are not inherited
  static UTC = RealDate.UTC;
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + skewMs);
    else super(...parts);
  }
  static now() {
    return RealDate.now() + skewMs;
  }
}
globalThis.Date = new Proxy(SkewedDate, { apply: () => new SkewedDate().toString() });
