// People. The only table besides the mailbox that holds a name, phone, mail address or birth date. Written by the desk (find or add) and, without a
// name, by API callers that bring a reference of their own. A patient belongs to the tenant group, so one person cannot sit in two clinics at once.
import { sql } from "drizzle-orm";
import { check, date, foreignKey, index, pgTable, text, unique, uuid } from "drizzle-orm/pg-core";
import { resources } from "./clinics";
import { createdAt, id, instant, tenantGroupId } from "./columns";

export const patients = pgTable(
  "patients",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    ref: text().notNull(),
    resourceId: uuid().notNull(),
    name: text(),
    /** Folded for search: lower case, no accents, one space; set by code with the name. */
    nameSearch: text().notNull().default(""),
    phone: text(),
    /** Digits only, with country code when one was given: search by phone in any format. */
    phoneDigits: text(),
    email: text(),
    birthDate: date({ mode: "string" }),
    language: text().notNull().default("en"),
    externalReference: text(),
    createdAt: createdAt(),
    updatedAt: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    foreignKey({ columns: [t.tenantGroupId, t.resourceId], foreignColumns: [resources.tenantGroupId, resources.id] }),
    unique("patients_ref_key").on(t.tenantGroupId, t.ref),
    unique("patients_tenant_key").on(t.tenantGroupId, t.id),
    unique("patients_external_key").on(t.tenantGroupId, t.externalReference),
    unique("patients_resource_key").on(t.tenantGroupId, t.resourceId),
    index("patients_name_search").using("gin", t.nameSearch.op("gin_trgm_ops")), // find: where name_search like '%part%'
    index("patients_phone_digits").using("gin", t.phoneDigits.op("gin_trgm_ops")), // find: where phone_digits like '%555%'
    index("patients_birth_date").on(t.tenantGroupId, t.birthDate), // find: where birth_date = $1
    check("patients_language", sql`language in ('en', 'ko')`),
    check("patients_named_or_referenced", sql`name is not null or external_reference is not null`),
  ],
);
