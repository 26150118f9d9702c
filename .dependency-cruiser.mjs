// The arrows between the folders. Each `comment` is the reason and is printed with the violation; tools/forbidden-imports.test.ts proves the rules bite.
const plumbing = "scope|audit|idempotency|leases|outbox|inbox|event-log";
const tests = "\\.test\\.tsx?$|(^|/)testing(\\.ts$|/)";
const pkg = (names) => `(^|node_modules/)(${names})(/|$)`;

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: "domain-is-framework-free",
      comment: "The rules must run in the web app, in a worker and in a script alike: edges (log, provider, clock) come in as arguments.",
      severity: "error",
      from: { path: "^server/domain/", pathNot: tests },
      to: { path: pkg("next|react|react-dom|next-auth|next-intl|@trpc|@tanstack|kafkajs|nodemailer|server-only") },
    },
    {
      name: "domain-knows-no-edge",
      comment:
        "Arrows point inward: app → server/{auth,http,trpc} → server/domain → db. A rule that imports its caller cannot be called by another.",
      severity: "error",
      from: { path: "^server/domain/", pathNot: tests },
      to: { path: "^(app|workers|scripts|e2e|proxy\\.ts|instrumentation\\.ts|server/(auth|http|trpc|event-log)/)" },
    },
    {
      name: "plumbing-knows-no-business",
      comment:
        "Outbox, inbox, keys, leases, audit and the log port carry any module's work; one that knows appointments carries appointments only.",
      severity: "error",
      from: { path: `^server/domain/(${plumbing})/`, pathNot: tests },
      to: { path: "^server/domain/", pathNot: `^server/domain/(${plumbing})/` },
    },
    {
      name: "operations-is-a-reader",
      comment:
        "server/domain/operations reads over all other modules for the console. Only edges (and what measures them) call it; a module that imports it turns the arrows round.",
      severity: "error",
      from: { pathNot: "^(server/domain/operations/|server/(http|trpc)/|app/|workers/|scripts/|bench/)" },
      to: { path: "^server/domain/operations/" },
    },
    {
      name: "app-holds-no-sql",
      comment:
        "A screen or route parses, calls one function and renders. SQL and business rules live in server/domain, where a worker can use them too.",
      severity: "error",
      from: { path: "^(app/|proxy\\.ts)", pathNot: tests },
      to: { path: `^db/|${pkg("drizzle-orm|postgres")}`, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "app-goes-through-the-edge",
      comment:
        "app → server/{auth,http,trpc} → server/domain: sign-in, scope and the idempotency key are applied at the edge, and are skipped by a direct call. " +
        "Pure files (types, states, next-actions, the limits of planning) and types may be imported.",
      severity: "error",
      from: { path: "^(app/|proxy\\.ts)", pathNot: tests },
      to: {
        path: "^server/(domain|event-log)/",
        pathNot: "/(types|states|next-actions)\\.ts$|/planning/limits\\.ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "server-draws-nothing",
      comment: "app imports server, never the other way: a server function that needs a component cannot serve HTTP, a worker or a script.",
      severity: "error",
      from: { path: "^server/", pathNot: tests },
      to: { path: "^(app|workers|scripts|e2e)/" },
    },
    {
      name: "db-is-the-bottom",
      comment:
        "db holds connections, schema and migrations and imports nothing above but the flat files of server/ (errors, clock, logger, test points).",
      severity: "error",
      from: { path: "^db/" },
      to: { path: "^(app|workers|scripts|e2e)/|^server/[^/]+/" },
    },
    {
      name: "event-log-adapters-know-the-port-only",
      comment: "An adapter carries records of any module; it may import the port (server/domain/event-log) and db.",
      severity: "error",
      from: { path: "^server/event-log/", pathNot: tests },
      to: { path: "^server/(auth|http|trpc)/|^server/domain/(?!event-log/)" },
    },
    {
      name: "only-the-adapter-speaks-kafka",
      comment: "A deployment without a broker must not load kafkajs in its rules: everything else speaks to the port.",
      severity: "error",
      from: { pathNot: `^(server/event-log|scripts|bench)/|${tests}` },
      to: { path: pkg("kafkajs") },
    },
    {
      name: "processes-use-the-domain",
      comment: "Workers and scripts have no request: they import server/{domain,event-log}, not screens, sign-in, HTTP handlers or tRPC.",
      severity: "error",
      from: { path: "^(workers|scripts)/", pathNot: tests },
      to: { path: "^app/|^server/(auth|http|trpc)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "e2e-uses-http",
      comment:
        "A browser test that calls the code it tests proves nothing about the product: it speaks HTTP, and looks at rows through db/testing and the reader of db/client.",
      severity: "error",
      from: { path: "^e2e/" },
      to: { path: "^(app|server|workers|scripts)/|^db/(?!testing/|client\\.ts$)", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "testing-is-not-shipped",
      comment: "db/testing starts servers and drops databases. It belongs to tests and to scripts.",
      severity: "error",
      from: { path: "^(app|server|workers|db)/", pathNot: `${tests}|^db/testing/` },
      to: { path: "^db/testing/" },
    },
    {
      name: "no-dev-dependency-in-production",
      comment: "npm ci --omit=dev must still run the web app and the workers.",
      severity: "error",
      from: { path: "^(app|server|workers|db)/", pathNot: `${tests}|^db/testing/` },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only", "npm"] },
    },
    {
      name: "no-cycles",
      comment: "Files in a cycle cannot be read, tested or moved alone, and one of them sees the other half-loaded.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "resolvable",
      comment: "An import that the checker cannot resolve is an arrow that no rule sees.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)\\.(next|data)/|\\.css$" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    parser: "tsc",
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      mainFields: ["module", "main", "types"],
    },
  },
};
