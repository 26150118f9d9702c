import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "@fontsource-variable/noto-sans-kr/wght.css";
import "./fonts.css";
import "./globals.css";
import latin from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
import type { Metadata, Viewport } from "next";
import { NextIntlClientProvider } from "next-intl";
import { getLocale, getMessages, getTranslations } from "next-intl/server";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import type { ReactNode } from "react";
import { preload } from "react-dom";
import { readTheme } from "@/app/_components/preferences";
import { TrpcProvider } from "@/app/_trpc/client";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations();
  return { title: { default: t("app.name"), template: `%s · ${t("app.name")}` }, description: t("app.what") };
}

export const viewport: Viewport = { colorScheme: "light dark" };

/**
 * The one face that every page draws with is asked for with the page, not when its style sheet is there: on a first visit it mostly comes before the first
 * paint. Code and Korean are drawn by faces that many pages do not need, and wait until one does. No nonce: a font is let in by `font-src 'self'`.
 */
const fetchLatinEarly = () => preload(latin, { as: "font", type: "font/woff2", crossOrigin: "anonymous" });

/** The theme is on <html> before the first byte of content, so nothing flashes; without a choice the system decides. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  fetchLatinEarly();
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
