import { killScenarios } from "./kill-roles";
import { outageScenarios } from "./outages";
import type { Scenario } from "./scenario";
import { skewScenario } from "./skew-clocks";
import { stallScenarios } from "./stall-holder";

export const scenarios: Scenario[] = [...killScenarios, ...stallScenarios, ...outageScenarios, skewScenario];
