import { z } from "zod";
import { absenceInput, breakInput, closureInput, outageInput } from "@/server/domain/clinics/fact-types";

/** Ending says nothing: it is now. */
export const endBody = z.strictObject({});

const replaces = z.uuid().optional().describe("The fact that this would change; left out: it would be added.");
export const previewBodies = {
  absence: absenceInput.extend({ replaces }),
  closure: closureInput.extend({ replaces }),
  outage: outageInput.extend({ replaces }),
  break: breakInput.extend({ replaces }),
};
