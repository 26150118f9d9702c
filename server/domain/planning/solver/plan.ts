// biome-ignore-all lint/style/noNonNullAssertion: the spots have one entry for each visit
import type { Model, Spots } from "./model";
import type { Plan } from "./types";

export const planOf = ({ visits }: Model, { start, doctor, option }: Spots): Plan =>
  visits.map((_, visit) => (start[visit]! < 0 ? null : { doctor: doctor[visit]!, start: start[visit]!, option: option[visit]! }));
