import type postgres from "postgres";
import { ratePerSecond, type Side } from "./rounds";

export const commitSide = "single-row commits, 10 connections";

/** The unit of every recorded `rel`: commits of one small row on 10 connections. Measured in the same rounds as what is divided by it. */
export async function singleRowCommits(bare: postgres.Sql, amount: number): Promise<Side> {
  await bare.unsafe("create table if not exists bench_commits (id bigint generated always as identity primary key, note text not null)");
  return {
    name: commitSide,
    run: () => ratePerSecond(amount, 10, () => bare`insert into bench_commits (note) values ('one small row')`),
  };
}
