"use client";

import { type ReactNode, useTransition } from "react";
import { forgetCommandKeys } from "@/app/_components/command-keys";
import { leave } from "./actions";

/** Ends the session from wherever; the only way out there is, so that nothing of this person stays at the desk. */
export function useSignOut(): () => void {
  const [, start] = useTransition();
  return () => {
    forgetHere();
    start(() => leave());
  };
}

/** A form that signs out; without client code too: then no key was ever stored. */
export function SignOutForm({ children }: { children: ReactNode }) {
  return (
    <form action={leave} onSubmit={forgetHere} className="grid gap-3">
      {children}
    </form>
  );
}

function forgetHere(): void {
  try {
    forgetCommandKeys(window.localStorage);
  } catch {
    // a browser that withholds its storage keeps nothing, and must not keep anybody signed in
  }
}
