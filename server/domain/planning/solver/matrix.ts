export type Entry = { row: number; value: number };

/** A sparse model, column by column; rows are made when first named. */
export class Matrix {
  readonly cost: number[] = [];
  readonly upper: number[] = [];
  readonly isWhole: number[] = [];
  readonly rowLower: number[] = [];
  readonly rowUpper: number[] = [];
  readonly starts: number[] = [0];
  readonly rows: number[] = [];
  readonly values: number[] = [];

  addRow(lower: number, upper: number): number {
    this.rowLower.push(lower);
    this.rowUpper.push(upper);
    return this.rowUpper.length - 1;
  }

  /** From 0 to 1. */
  addColumn(cost: number, entries: Entry[], { isWhole = true, upper = 1 } = {}): number {
    this.cost.push(cost);
    this.upper.push(upper);
    this.isWhole.push(isWhole ? 1 : 0);
    for (const { row, value } of entries) {
      this.rows.push(row);
      this.values.push(value);
    }
    this.starts.push(this.rows.length);
    return this.cost.length - 1;
  }
}
