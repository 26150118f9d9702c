import type { Model } from "./model";

/** Some days of some doctors, all others staying as they are. */
export type Region = (doctor: number, day: number) => boolean;

/** The parts of a plan that are solved by themselves: each day of everybody, then all days of each two doctors. */
export function regionsOf({ days, doctorCount }: Model): Region[] {
  const regions: Region[] = [];
  for (let one = 0; one < days; one += 1) regions.push((_, day) => day === one);
  for (let one = 0; one < doctorCount; one += 1)
    for (let other = 0; other < one; other += 1) regions.push((doctor) => doctor === one || doctor === other);
  return regions;
}
