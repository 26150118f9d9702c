// Every event that was ever released: one schema for each (type, version). A released schema does not change; a new shape is a new version.
// fixtures/ holds one record of each as it lies in the log, and a test keeps all of them readable.
import type { z } from "zod";
import { partitionKey } from "../partition-key";
import { type AppointmentChangeV1, appointmentChangeV1 } from "./appointment-v1";
import { type ClinicFactChangeV1, clinicFactChangeV1 } from "./clinic-fact-v1";

export type EventType =
  | "AppointmentCreated"
  | "AppointmentRescheduled"
  | "AppointmentCancelled"
  | "AppointmentStatusChanged"
  | "ClinicFactChanged";
export type EventPayload = AppointmentChangeV1 | ClinicFactChangeV1;

/** `keyedBy` CLINIC: all events of a clinic on this topic share one key, and with it one order. */
type Contract = { topic: string; aggregateType: string; keyedBy: "AGGREGATE" | "CLINIC"; schema: z.ZodType<EventPayload> };

const appointment: Contract = {
  topic: "appointment.v1",
  aggregateType: "appointment",
  keyedBy: "AGGREGATE",
  schema: appointmentChangeV1,
};
const clinicFact: Contract = { topic: "clinic-fact.v1", aggregateType: "clinic-facts", keyedBy: "CLINIC", schema: clinicFactChangeV1 };

const contracts: Record<EventType, Record<number, Contract>> = {
  AppointmentCreated: { 1: appointment },
  AppointmentRescheduled: { 1: appointment },
  AppointmentCancelled: { 1: appointment },
  AppointmentStatusChanged: { 1: appointment },
  ClinicFactChanged: { 1: clinicFact },
};

/** The contract of a type and version; undefined for one that this release does not know. */
export function findContract(type: string, schemaVersion: number): Contract | undefined {
  return Object.hasOwn(contracts, type) ? contracts[type as EventType][schemaVersion] : undefined;
}

/** Every (type, version), for the test that wants a fixture of each. */
export const releasedContracts = (): { type: string; schemaVersion: number }[] =>
  Object.entries(contracts).flatMap(([type, versions]) =>
    Object.keys(versions).map((version) => ({ type, schemaVersion: Number(version) })),
  );

/** The key of a record of this contract. */
export const recordKey = (
  { keyedBy }: Pick<Contract, "keyedBy">,
  { tenantGroupId, clinicId, aggregateId }: { tenantGroupId: string; clinicId: string; aggregateId: string },
): string => (keyedBy === "CLINIC" ? partitionKey(tenantGroupId, clinicId) : partitionKey(tenantGroupId, clinicId, aggregateId));
