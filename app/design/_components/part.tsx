import type { ReactNode } from "react";

/** Name of a component, and each of its states. Names are those of the code and are not translated; the screenshot test takes a picture of each. */
export function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className="grid content-start gap-2" data-part={name}>
      <h2 className="font-semibold">{name}</h2>
      {children}
    </section>
  );
}
