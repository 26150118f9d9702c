import type { ReactNode } from "react";
import { PlaceFrame } from "@/app/_components/frame/place-frame";

export default function Layout({ children }: { children: ReactNode }) {
  return <PlaceFrame right="STAFF">{children}</PlaceFrame>;
}
