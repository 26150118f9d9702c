// Who may act, and where. Written by clinic set-up, `npm run ops -- token` and the seed; read at every request.
// sign-in and token look-ups run before a tenant is known: two SECURITY DEFINER functions (migration 0001) read these tables for them.
import { sql } from "drizzle-orm";
import { bigint, check, foreignKey, index, integer, pgTable, text, unique, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, id, instant, tenantGroupId } from "./columns";

export const tenantGroups = pgTable("tenant_groups", {
  id: id(),
  ref: text().notNull().unique(),
  name: text().notNull(),
  createdAt: createdAt(),
});

export const users = pgTable(
  "users",
  {
    id: id(),
    tenantGroupId: tenantGroupId().references(() => tenantGroups.id),
    ref: text().notNull(),
    email: text().notNull(),
    name: text().notNull(),
    passwordHash: text().notNull(),
    locale: text().notNull().default("en"),
    theme: text().notNull().default("system"),
    disabledAt: instant(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("users_email_key").on(sql`lower(${t.email})`), // auth_find_user: where lower(email) = lower($1)
    unique("users_ref_key").on(t.tenantGroupId, t.ref),
    unique("users_tenant_key").on(t.tenantGroupId, t.id),
    check("users_locale", sql`locale in ('en', 'ko')`),
    check("users_theme", sql`theme in ('system', 'light', 'dark')`),
  ],
);

export const userRoles = pgTable(
  "user_roles",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    userId: uuid().notNull(),
    role: text().notNull(),
    /** null: all clinics of the tenant group */
    clinicId: uuid(),
    createdAt: createdAt(),
  },
  (t) => [
    foreignKey({ columns: [t.tenantGroupId, t.userId], foreignColumns: [users.tenantGroupId, users.id] }).onDelete("cascade"),
    unique("user_roles_key").on(t.tenantGroupId, t.userId, t.role, t.clinicId).nullsNotDistinct(),
    check(
      "user_roles_role",
      sql`role in ('FRONT_DESK', 'STAFF', 'APPOINTMENT_REPLAY_OPERATOR', 'POLICY_AUTHOR', 'POLICY_APPROVER', 'ADMIN')`,
    ),
  ],
);

/** A client owns tokens; it is the caller of its commands, so rotating a token changes nothing. */
export const apiClients = pgTable(
  "api_clients",
  {
    id: id(),
    tenantGroupId: tenantGroupId().references(() => tenantGroups.id),
    ref: text().notNull(),
    name: text().notNull(),
    disabledAt: instant(),
    createdAt: createdAt(),
  },
  (t) => [unique("api_clients_ref_key").on(t.tenantGroupId, t.ref), unique("api_clients_tenant_key").on(t.tenantGroupId, t.id)],
);

export const apiTokens = pgTable(
  "api_tokens",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    apiClientId: uuid().notNull(),
    /** SHA-256 of a 256-bit random token: it has nothing to guess, so no slow hash. */
    tokenHash: text().notNull().unique(),
    clinicIds: uuid().array().notNull(),
    commands: text().array().notNull(),
    expiresAt: instant(),
    revokedAt: instant(),
    createdAt: createdAt(),
  },
  (t) => [
    foreignKey({ columns: [t.tenantGroupId, t.apiClientId], foreignColumns: [apiClients.tenantGroupId, apiClients.id] }),
    index("api_tokens_client").on(t.tenantGroupId, t.apiClientId), // ops token list: where tenant_group_id and api_client_id
  ],
);

/** Counters of the rate-limiter-flexible library; no tenant column, the key holds an opaque id. Expired rows are removed by the library. */
export const rateLimits = pgTable("rate_limits", {
  key: text().primaryKey(),
  points: integer().notNull().default(0),
  expire: bigint({ mode: "number" }),
});
