// The operations on facts, for the OpenAPI document: five for each kind, three for weekly hours of a clinic and of a doctor.
import { factRights } from "@/server/domain/clinics/fact-actions";
import { pathNames } from "@/server/domain/clinics/fact-rows";
import {
  affectedView,
  type FactKind,
  factAnswer,
  factInputs,
  factKinds,
  factView,
  hoursAnswer,
  hoursInput,
  hoursView,
} from "@/server/domain/clinics/fact-types";
import { factOperation } from "@/server/domain/clinics/write-facts";
import { endBody, previewBodies } from "../operations/fact-bodies";
import { type ApiOperation, clinic, clinicPath, ofBody, ofKey } from "./operation-parts";

const uuid = clinicPath.shape.clinicId;
const factPath = clinicPath.extend({ factId: uuid });
const right = factRights.facts.command;
const what: Record<FactKind, string> = {
  absence: "an absence of a doctor",
  closure: "a closure of the clinic",
  outage: "an outage of a device or room",
  break: "a weekly break of the clinic or a doctor",
};

const command = { answer: factAnswer, right, keyed: true, tagged: true } as const;
const ofVersion = ["version-required", "version-stale", "fact-over"] as const;

function operationsOf(kind: FactKind): ApiOperation[] {
  const address = `${clinic}/${pathNames[kind]}`;
  return [
    {
      ...command,
      operationId: factOperation("add", kind),
      method: "post",
      path: address,
      summary: `Add ${what[kind]}. Answers with the visits that it leaves without a place; none of them is moved.`,
      params: clinicPath,
      body: factInputs[kind],
      status: 201,
      problems: ["not-found", ...ofBody, ...ofKey, "fact-invalid"],
    },
    {
      ...command,
      operationId: factOperation("change", kind),
      method: "put",
      path: `${address}/{factId}`,
      summary: `Change ${what[kind]} to what the body says, all of it.`,
      params: factPath,
      body: factInputs[kind],
      status: 200,
      versioned: true,
      problems: ["not-found", ...ofBody, ...ofKey, ...ofVersion, "fact-invalid"],
    },
    {
      ...command,
      operationId: factOperation("end", kind),
      method: "post",
      path: `${address}/{factId}/end`,
      summary: `End ${what[kind]} now: withdrawn when it has not begun, else over from this minute on.`,
      params: factPath,
      body: endBody,
      status: 200,
      versioned: true,
      problems: ["not-found", ...ofBody, ...ofKey, ...ofVersion],
    },
    {
      operationId: `preview${factOperation("add", kind).slice(3)}`,
      method: "post",
      path: `${address}/preview`,
      summary: `Which visits ${what[kind]} would leave without a place. Writes nothing and takes no key.`,
      right,
      params: clinicPath,
      body: previewBodies[kind],
      answer: affectedView,
      status: 200,
      problems: ["not-found", ...ofBody, "fact-invalid"],
    },
    {
      operationId: `get${factOperation("add", kind).slice(3)}`,
      method: "get",
      path: `${address}/{factId}`,
      summary: `One: ${what[kind]}. Its ETag is what a change sends as If-Match.`,
      right: "clinics:read",
      params: factPath,
      answer: factView,
      status: 200,
      problems: ["not-found"],
      tagged: true,
    },
  ];
}

function hoursOf(whose: "Clinic" | "Doctor"): ApiOperation[] {
  const isDoctor = whose === "Doctor";
  const address = isDoctor ? `${clinic}/doctors/{doctorId}/hours` : `${clinic}/hours`;
  const params = isDoctor ? clinicPath.extend({ doctorId: uuid }) : clinicPath;
  const of = isDoctor ? "a doctor" : "the clinic";
  return [
    {
      operationId: `get${whose}Hours`,
      method: "get",
      path: address,
      summary: `Weekly hours of ${of}. The ETag is what a change sends as If-Match.`,
      right: "clinics:read",
      params,
      answer: hoursView,
      status: 200,
      problems: ["not-found"],
      tagged: true,
    },
    {
      operationId: `change${whose}Hours`,
      method: "put",
      path: address,
      summary: `Replace the weekly hours of ${of}.`,
      right: factRights.hours.command,
      params,
      body: hoursInput,
      answer: hoursAnswer,
      status: 200,
      keyed: true,
      versioned: true,
      tagged: true,
      problems: ["not-found", ...ofBody, ...ofKey, "version-required", "version-stale", "fact-invalid"],
    },
    {
      operationId: `preview${whose}Hours`,
      method: "post",
      path: `${address}/preview`,
      summary: `Which visits other weekly hours of ${of} would leave outside. Writes nothing and takes no key.`,
      right: factRights.hours.command,
      params,
      body: hoursInput,
      answer: affectedView,
      status: 200,
      problems: ["not-found", ...ofBody, "fact-invalid"],
    },
  ];
}

export const factOperations: readonly ApiOperation[] = [...factKinds.flatMap(operationsOf), ...hoursOf("Clinic"), ...hoursOf("Doctor")];
