/** Names of stored commands that wait for their answer begin so. */
export const commandKeyPrefix = "desk-command:";

type Store = Pick<Storage, "length" | "key" | "removeItem">;

/** Command keys that wait for an answer are of no use to the next person at this desk. */
export function forgetCommandKeys(store: Store): void {
  const names = Array.from({ length: store.length }, (_, i) => store.key(i));
  for (const name of names) if (name?.startsWith(commandKeyPrefix)) store.removeItem(name);
}
