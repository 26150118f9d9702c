"use client";

import { Fragment, type ReactNode } from "react";
import type { QueueGroup } from "@/server/domain/operations/types";

type Grouped = { id: string; group: QueueGroup };
/** Title of a group and how many rows it has; null: not known. */
export type GroupHead = (group: QueueGroup) => { title: string; count: string | null };

export type Column<Row> = {
  key: string;
  head: ReactNode;
  /** Class of its width; without one it takes what is left. */
  width?: string;
  /** It is left out on narrow pages. */
  drop?: "drop1" | "drop2";
  className?: string;
  /** `tabIndex` of what can be pressed in it. */
  cell(row: Row, tabIndex: 0 | -1): ReactNode;
};

type TableProps<Row> = {
  caption: string;
  className?: string;
  columns: Column<Row>[];
  rows: Row[];
  headOf: GroupHead;
  openId: string | null;
  focusId: string | null;
  onOpen(id: string): void;
  onFocusRow(id: string): void;
};

/** A queue as a real table with a heading row for each group. One row is in the tab order; j and k move it. */
export function GroupedTable<Row extends Grouped>(props: TableProps<Row>) {
  const { caption, className = "q", columns, rows, headOf, openId, focusId, onOpen, onFocusRow } = props;
  const wished = focusId ?? openId;
  const inTabOrder = rows.some(({ id }) => id === wished) ? wished : rows[0]?.id; // a row that has left is no way into the table
  const tabIndexOf = (row: Row) => (row.id === inTabOrder ? 0 : -1);
  return (
    <table className={className}>
      <caption className="sr">{caption}</caption>
      <colgroup>
        {columns.map(({ key, width, drop }) => (
          <col key={key} className={classes(width, drop)} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {columns.map(({ key, head, drop }) => (
            <th key={key} scope="col" className={drop}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <Fragment key={row.id}>
            {row.group !== rows[i - 1]?.group && <GroupRow columns={columns} {...headOf(row.group)} />}
            <tr
              data-row={row.id}
              aria-selected={row.id === openId}
              tabIndex={tabIndexOf(row)}
              onFocus={() => onFocusRow(row.id)}
              onClick={() => onOpen(row.id)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && event.target === event.currentTarget) onOpen(row.id);
              }}
            >
              {columns.map(({ key, drop, className: look, cell }) => (
                <td key={key} className={classes(drop, look)}>
                  {cell(row, tabIndexOf(row))}
                </td>
              ))}
            </tr>
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

/** Columns that a narrow page drops are cells of their own here: spanned, they would still take a share of its width. */
function GroupRow<Row>({ columns, title, count }: { columns: Column<Row>[] } & ReturnType<GroupHead>) {
  const dropped = columns.filter(({ drop }) => drop);
  return (
    <tr className="grp">
      <th colSpan={columns.length - dropped.length} scope="rowgroup">
        {title}
        {count !== null && <span className="n num">{count}</span>}
      </th>
      {dropped.map(({ key, drop }) => (
        <td key={key} className={drop} />
      ))}
    </tr>
  );
}

const classes = (...names: (string | undefined)[]): string | undefined => names.filter(Boolean).join(" ") || undefined;

type CardsProps<Row> = { className?: string; rows: Row[]; headOf: GroupHead; onOpen(id: string): void; children(row: Row): ReactNode };

/** The same rows below 768 px, a card each. Enter opens the card that j and k have led to; its button does the same. */
export function GroupedCards<Row extends Grouped>({ className = "cards", rows, headOf, onOpen, children }: CardsProps<Row>) {
  return (
    <div className={className}>
      {rows.map((row, i) => (
        <Fragment key={row.id}>
          {row.group !== rows[i - 1]?.group && <CardsHead {...headOf(row.group)} />}
          <article
            className="cd"
            data-row={row.id}
            tabIndex={-1}
            onKeyDown={(event) => event.key === "Enter" && event.target === event.currentTarget && onOpen(row.id)}
          >
            {children(row)}
          </article>
        </Fragment>
      ))}
    </div>
  );
}

function CardsHead({ title, count }: ReturnType<GroupHead>) {
  return (
    <h2 className="gh">
      {title}
      {count !== null && <span className="n">{count}</span>}
    </h2>
  );
}
