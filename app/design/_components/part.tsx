import type { ReactNode } from "react";

type Props = {
  name: string;
  /** No wider than what is in it: in a large picture a lost word would be a few pixels of many. */
  tight?: boolean;
  children: ReactNode;
};

/** Name of a component, and each of its states. Names are those of the code and are not translated; the screenshot test takes a picture of each. */
export function Part({ name, tight, children }: Props) {
  return (
    <section className={`grid content-start gap-2 ${tight ? "justify-self-start" : "min-w-0"}`} data-part={name}>
      <h2 className="font-semibold">{name}</h2>
      {children}
    </section>
  );
}
