import type { z } from "zod";
import { withRead } from "@/db/client";
import { parseIfMatch } from "@/server/domain/appointments/command-call";
import { changeHours } from "@/server/domain/clinics/change-hours";
import { factRights } from "@/server/domain/clinics/fact-actions";
import { type FactKind, type FactWish, factInputs, hoursInput } from "@/server/domain/clinics/fact-types";
import { getFact, getHours, previewFact, previewHours } from "@/server/domain/clinics/preview-fact";
import { addFact, changeFact, endFact, factOperation } from "@/server/domain/clinics/write-facts";
import { parseIdempotencyKey } from "@/server/domain/idempotency/key";
import { commandDeps } from "../command-deps";
import { type ApiCall, apiHandler } from "../http-handler";
import { readJson } from "../read-json";
import { traceparentOf } from "../traceparent";
import { inClinic } from "./authorize";
import { commandResponse } from "./command-response";
import { endBody, previewBodies } from "./fact-bodies";

type ClinicPath = { clinicId: string };
type FactPath = ClinicPath & { factId: string };
type HoursPath = ClinicPath & { doctorId?: string };

const right = factRights.facts.command;

/** The five operations on one kind of fact: POST and PUT with a key, POST …/end, POST …/preview, GET. */
function operationsOf<K extends FactKind>(kind: K) {
  const wishOf = (body: unknown) => ({ kind, input: factInputs[kind].parse(body) }) as unknown as FactWish;
  return {
    add: apiHandler<ClinicPath>(factOperation("add", kind), (call) =>
      inClinic(call, call.params.clinicId, right, undefined, async () => {
        const key = parseIdempotencyKey(call.request.headers.get("idempotency-key"));
        const body = await readJson(call.request);
        const wish = wishOf(body);
        return commandResponse(await addFact(commandDeps(call.db, call.env), callOf(call, key, body), wish));
      }),
    ),
    change: apiHandler<FactPath>(factOperation("change", kind), (call) =>
      inClinic(call, call.params.clinicId, right, call.params.factId, async () => {
        const { key, expectedVersion } = keyed(call);
        const body = await readJson(call.request);
        const wish = wishOf(body);
        const change = { ...callOf(call, key, body, "PUT"), factId: call.params.factId, expectedVersion };
        return commandResponse(await changeFact(commandDeps(call.db, call.env), change, wish));
      }),
    ),
    end: apiHandler<FactPath>(factOperation("end", kind), (call) =>
      inClinic(call, call.params.clinicId, right, call.params.factId, async () => {
        const { key, expectedVersion } = keyed(call);
        const body = await readJson(call.request);
        endBody.parse(body);
        const change = { ...callOf(call, key, body), factId: call.params.factId, expectedVersion };
        return commandResponse(await endFact(commandDeps(call.db, call.env), change, kind));
      }),
    ),
    preview: apiHandler<ClinicPath>(`preview${factOperation("add", kind).slice(3)}`, (call) =>
      inClinic(call, call.params.clinicId, right, undefined, async () => {
        const { replaces, ...input } = previewBodies[kind].parse(await readJson(call.request)) as { replaces?: string };
        const asked = { clinicId: call.params.clinicId, wish: wishOf(input), replaced: replaces };
        return Response.json(await withRead(call.db, call.actor, (tx) => previewFact(tx, call.actor, asked)));
      }),
    ),
    get: apiHandler<FactPath>(`get${factOperation("add", kind).slice(3)}`, (call) =>
      inClinic(call, call.params.clinicId, "clinics:read", call.params.factId, async () => {
        const fact = await withRead(call.db, call.actor, (tx) => getFact(tx, call.actor, { ...call.params, kind }));
        return Response.json(fact, { headers: { etag: `"${fact.version}"` } });
      }),
    ),
  };
}

export const {
  add: postAbsence,
  change: putAbsence,
  end: postAbsenceEnd,
  preview: postAbsencePreview,
  get: getAbsence,
} = operationsOf("absence");
export const {
  add: postClosure,
  change: putClosure,
  end: postClosureEnd,
  preview: postClosurePreview,
  get: getClosure,
} = operationsOf("closure");
export const {
  add: postOutage,
  change: putOutage,
  end: postOutageEnd,
  preview: postOutagePreview,
  get: getOutage,
} = operationsOf("outage");
export const { add: postBreak, change: putBreak, end: postBreakEnd, preview: postBreakPreview, get: getBreak } = operationsOf("break");

const hoursRight = factRights.hours.command;

/** GET …/hours: of the clinic, or of the doctor in the address. */
export const getWeeklyHours = apiHandler<HoursPath>("getHours", (call) =>
  inClinic(call, call.params.clinicId, "clinics:read", call.params.doctorId, async () => {
    const { clinicId, doctorId = null } = call.params;
    const found = await withRead(call.db, call.actor, (tx) => getHours(tx, call.actor, clinicId, doctorId));
    return Response.json(found, { headers: { etag: `"${found.version}"` } });
  }),
);

/** PUT …/hours: the whole week. */
export const putWeeklyHours = apiHandler<HoursPath>("changeHours", (call) =>
  inClinic(call, call.params.clinicId, hoursRight, call.params.doctorId, async () => {
    const { clinicId, doctorId = null } = call.params;
    const { key, expectedVersion } = keyed(call);
    const body = await readJson(call.request);
    const input: z.infer<typeof hoursInput> = hoursInput.parse(body);
    const change = { ...callOf(call, key, body, "PUT"), factId: doctorId ?? clinicId, expectedVersion };
    return commandResponse(await changeHours(commandDeps(call.db, call.env), change, { doctorId, ...input }));
  }),
);

/** POST …/hours/preview */
export const postHoursPreview = apiHandler<HoursPath>("previewHours", (call) =>
  inClinic(call, call.params.clinicId, hoursRight, call.params.doctorId, async () => {
    const { clinicId, doctorId = null } = call.params;
    const change = { doctorId, ...hoursInput.parse(await readJson(call.request)) };
    return Response.json(await withRead(call.db, call.actor, (tx) => previewHours(tx, call.actor, { clinicId, change })));
  }),
);

const keyed = ({ request }: ApiCall<unknown>) => ({
  key: parseIdempotencyKey(request.headers.get("idempotency-key")),
  expectedVersion: parseIfMatch(request.headers.get("if-match")),
});

const callOf = ({ actor, params, request, requestId }: ApiCall<ClinicPath>, key: string, body: unknown, method = "POST") => ({
  actor,
  clinicId: params.clinicId,
  key,
  requestId,
  method,
  body,
  traceparent: traceparentOf(request.headers),
});
