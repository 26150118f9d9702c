import { auditRouter } from "./routers/audit";
import { deliveryRouter } from "./routers/delivery";
import { deskRouter } from "./routers/desk";
import { drillsRouter } from "./routers/drills";
import { factsRouter } from "./routers/facts";
import { planningRouter } from "./routers/planning";
import { planningViewsRouter } from "./routers/planning-views";
import { replayRouter } from "./routers/replay";
import { savedViewsRouter } from "./routers/saved-views";
import { sessionRouter } from "./routers/session";
import { storiesRouter } from "./routers/stories";
import { workersRouter } from "./routers/workers";
import { router } from "./trpc";

export const appRouter = router({
  session: sessionRouter,
  audit: auditRouter,
  delivery: deliveryRouter,
  desk: deskRouter,
  drills: drillsRouter,
  facts: factsRouter,
  planning: planningRouter,
  planningViews: planningViewsRouter,
  replay: replayRouter,
  savedViews: savedViewsRouter,
  stories: storiesRouter,
  workers: workersRouter,
});

export type AppRouter = typeof appRouter;
