/** Small whole-number generator (sfc32): the same seed gives the same numbers on every machine. */
export class Random {
  private a: number;
  private b: number;
  private c = 0xb7e15162;
  private d = 1;

  constructor(seed: number) {
    this.a = 0x9e3779b9 ^ seed;
    this.b = 0x243f6a88 ^ Math.imul(seed, 0x9e3779b1);
    for (let i = 0; i < 16; i += 1) this.bits();
  }

  /** 32 bits. */
  bits(): number {
    const sum = (((this.a + this.b) | 0) + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** From 0 up to, and without, 1. */
  share(): number {
    return this.bits() / 4294967296;
  }

  /** A whole number from 0 up to, and without, `limit`. */
  below(limit: number): number {
    return Math.floor(this.share() * limit);
  }

  coin(): boolean {
    return (this.bits() & 1) === 1;
  }
}
