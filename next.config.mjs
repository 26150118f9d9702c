import createNextIntlPlugin from "next-intl/plugin";

const withNextIntl = createNextIntlPlugin("./app/_i18n/request.ts");

/** @type {import('next').NextConfig} */
const nextConfig = {
  output: "standalone",
  reactStrictMode: true,
  poweredByHeader: false,
  // without it a development server opened as http://127.0.0.1 never becomes interactive
  allowedDevOrigins: ["127.0.0.1"],
  typedRoutes: true,
  // npm run check types the whole repository; a build would do it a second time, tests and benchmarks included
  typescript: { ignoreBuildErrors: true },
  experimental: { authInterrupts: true },
  serverExternalPackages: ["pino", "kafkajs"],
  // on every answer, files and APIs too; the policy with its nonce comes from proxy.ts
  headers: async () => [
    {
      source: "/:path*",
      headers: [
        { key: "X-Content-Type-Options", value: "nosniff" },
        { key: "X-Frame-Options", value: "DENY" },
        { key: "Referrer-Policy", value: "same-origin" },
        { key: "Permissions-Policy", value: "camera=(), microphone=(), geolocation=()" },
      ],
    },
  ],
  // shown beside the drills, and in no bundle
  outputFileTracingIncludes: { "/operations/drills/runbook/*": ["./docs/runbook/*.md"] },
  // a lock file in a folder above must not move the root of the build
  outputFileTracingRoot: import.meta.dirname,
  turbopack: { root: import.meta.dirname },
};

export default withNextIntl(nextConfig);
