import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "@fontsource-variable/noto-sans-kr/wght.css";
import "./globals.css";
import type { Metadata, Viewport } from "next";
import { NextIntlClientProvider } from "next-intl";
import { getLocale, getMessages, getTranslations } from "next-intl/server";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import type { ReactNode } from "react";
import { readTheme } from "@/app/_components/preferences";
import { TrpcProvider } from "@/app/_trpc/client";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations();
  return { title: { default: t("app.name"), template: `%s · ${t("app.name")}` }, description: t("app.what") };
}

export const viewport: Viewport = { colorScheme: "light dark" };

/** The theme is on <html> before the first byte of content, so nothing flashes; without a choice the system decides. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const [locale, messages, theme] = await Promise.all([getLocale(), getMessages(), readTheme()]);
  return (
    <html lang={locale} data-theme={theme === "system" ? undefined : theme} suppressHydrationWarning>
      <body>
        <NextIntlClientProvider locale={locale} messages={messages}>
          <TrpcProvider>
            <NuqsAdapter>{children}</NuqsAdapter>
          </TrpcProvider>
        </NextIntlClientProvider>
      </body>
    </html>
  );
}
