import { killReplayScenario } from "./kill-replay";
import { killScenarios } from "./kill-roles";
import { killSolverScenario } from "./kill-solver";
import { outageScenarios } from "./outages";
import type { Scenario } from "./scenario";
import { skewScenario } from "./skew-clocks";
import { stallScenarios } from "./stall-holder";
import { stallReplayScenario } from "./stall-replay";

export const scenarios: Scenario[] = [
  ...killScenarios,
  killSolverScenario,
  killReplayScenario,
  ...stallScenarios,
  stallReplayScenario,
  ...outageScenarios,
  skewScenario,
];
