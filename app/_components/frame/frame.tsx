import { getTranslations } from "next-intl/server";
import type { ReactNode } from "react";
import type { FrameData } from "@/app/_components/frame/frame-data";
import { Rail } from "@/app/_components/frame/rail";
import { TopBar } from "@/app/_components/frame/top-bar";
import { readTheme } from "@/app/_components/preferences";
import { LiveHints } from "@/app/_trpc/live-hints";

/** Rail, bar and the page: the frame of every screen behind sign-in. */
export async function Frame({ data, children }: { data: FrameData; children: ReactNode }) {
  const [t, theme] = await Promise.all([getTranslations(), readTheme()]);
  return (
    <div className="app">
      <a className="skip" href="#content">
        {t("frame.skip")}
      </a>
      <Rail roles={data.user.roles} />
      <TopBar data={data} theme={theme} />
      <LiveHints />
      {children}
    </div>
  );
}
