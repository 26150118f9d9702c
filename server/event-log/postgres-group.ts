import { type Db, type Tx, withTx } from "@/db/client";
import { LogError } from "@/server/domain/event-log/port";
import { logActor } from "./postgres-record";

type Member = { group: string; topics: string[]; memberId: string; leaseMs: number };
/** A partition that this member reads, and where it stands. */
export type Owned = { topic: string; partition: number; fence: string; nextOffset: string };

/**
 * Says that the member lives and gives it its share of the partitions: what is above goes back, what is free (or whose owner died) is taken,
 * with fence + 1. Only called between two batches. Throws OFFSETS_LOST when the group stands where the log no longer, or not yet, is.
 */
export function joinAndShare(db: Db, member: Member, before: Owned[]): Promise<Owned[]> {
  return withTx(db, logActor, async (tx) => {
    const share = await announce(tx, member);
    await tx.sql`
      with mine as (
        select topic, partition, row_number() over (order by topic, partition) as place
        from log_group_offsets
        where group_id = ${member.group} and owner = ${member.memberId}
      )
      update log_group_offsets g
      set owner = case when mine.place > ${share}::int8 then null else g.owner end,
          lease_until = case when mine.place > ${share}::int8 then null
            else clock_timestamp() + ${member.leaseMs} * interval '1 millisecond' end
      from mine
      where g.group_id = ${member.group} and g.topic = mine.topic and g.partition = mine.partition
        and g.owner = ${member.memberId}`;
    await tx.sql`
      with wanted as materialized (
        select topic, partition
        from log_group_offsets
        where group_id = ${member.group}
          and topic = any (${member.topics}::text[])
          and (owner is null or lease_until <= clock_timestamp())
        order by topic, partition
        limit greatest(0, ${share}::int8 - (
          select count(*) from log_group_offsets where group_id = ${member.group} and owner = ${member.memberId}))
        for update skip locked
      )
      update log_group_offsets g
      set owner = ${member.memberId},
          fence = g.fence + 1,
          lease_until = clock_timestamp() + ${member.leaseMs} * interval '1 millisecond'
      from wanted
      where g.group_id = ${member.group} and g.topic = wanted.topic and g.partition = wanted.partition`;
    return ownedNow(tx, member, before);
  });
}

/** Makes the group's rows the first time, drops members that went silent, and answers how many partitions this one should hold. */
async function announce(tx: Tx, member: Member): Promise<number> {
  await tx.sql`
    insert into log_group_members (group_id, member_id, alive_until)
    values (${member.group}, ${member.memberId}, clock_timestamp() + ${member.leaseMs} * interval '1 millisecond')
    on conflict (group_id, member_id) do update set alive_until = excluded.alive_until`;
  await tx.sql`
    delete from log_group_members where group_id = ${member.group} and alive_until < clock_timestamp() - interval '1 minute'`;
  await tx.sql`
    insert into log_group_offsets (group_id, topic, partition, next_offset)
    select ${member.group}, p.topic, p.partition, p.low_offset
    from log_partitions p
    where p.topic = any (${member.topics}::text[])
      and not exists (
        select 1 from log_group_offsets g where g.group_id = ${member.group} and g.topic = p.topic and g.partition = p.partition)
    on conflict do nothing`;
  const [row] = await tx.sql`
    select
      (select count(*) from log_group_members where group_id = ${member.group} and alive_until > clock_timestamp())::int4 as members,
      (select count(*) from log_partitions where topic = any (${member.topics}::text[]))::int4 as partitions`;
  return Math.ceil(row?.partitions / Math.max(1, row?.members));
}

async function ownedNow(tx: Tx, member: Member, before: Owned[]): Promise<Owned[]> {
  const rows = await tx.sql`
    select g.topic, g.partition, g.fence, g.next_offset, g.next_offset between p.low_offset and p.next_offset as readable
    from log_group_offsets g
    join log_partitions p on p.topic = g.topic and p.partition = g.partition
    where g.group_id = ${member.group} and g.owner = ${member.memberId}
    order by g.topic, g.partition`;
  const lost = rows.find((row) => !row.readable);
  if (lost)
    throw new LogError(
      "OFFSETS_LOST",
      `${member.group} stands at ${lost.next_offset} of ${lost.topic}/${lost.partition}, which the log does not hold`,
    );
  return rows.map((row) => {
    const known = before.find((part) => part.topic === row.topic && part.partition === row.partition && part.fence === row.fence);
    return known ?? { topic: row.topic, partition: row.partition, fence: row.fence, nextOffset: row.next_offset };
  });
}

/** During a long batch. Answers false when any of them went to another member. */
export function extendLeases(db: Db, member: Member, owned: Owned[]): Promise<boolean> {
  return withTx(db, logActor, async (tx) => {
    const rows = await tx.sql`
      update log_group_offsets g
      set lease_until = clock_timestamp() + ${member.leaseMs} * interval '1 millisecond'
      from unnest(
        ${owned.map((part) => part.topic)}::text[],
        ${owned.map((part) => part.partition)}::int4[],
        ${owned.map((part) => part.fence)}::int8[]
      ) as m (topic, partition, fence)
      where g.group_id = ${member.group} and g.topic = m.topic and g.partition = m.partition
        and g.owner = ${member.memberId} and g.fence = m.fence
      returning g.partition`;
    await tx.sql`
      update log_group_members
      set alive_until = clock_timestamp() + ${member.leaseMs} * interval '1 millisecond'
      where group_id = ${member.group} and member_id = ${member.memberId}`;
    return rows.length === owned.length;
  });
}

/** Gives everything back at once, so that the others need not wait for the lease. */
export async function leaveGroup(db: Db, member: Member): Promise<void> {
  await withTx(db, logActor, async (tx) => {
    await tx.sql`
      update log_group_offsets set owner = null, lease_until = null where group_id = ${member.group} and owner = ${member.memberId}`;
    await tx.sql`delete from log_group_members where group_id = ${member.group} and member_id = ${member.memberId}`;
  });
}
