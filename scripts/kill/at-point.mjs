// Loaded before a built process in a drill (NODE_OPTIONS=--import …): sends the process a signal when it passes a named point with something in hand.
// AT_POINT: the point · AT_POINT_SIGNAL: SIGSTOP or SIGKILL · AT_POINT_NTH: at which passage, 1 when left out.
const { AT_POINT: point, AT_POINT_SIGNAL: signal, AT_POINT_NTH: nth = "1" } = process.env;
const key = Symbol.for("appointment-operations.test-points");
globalThis[key] ??= new Map();
let passed = 0;
globalThis[key].set(point, (detail) => {
  const isEmpty = Array.isArray(detail) && detail.length === 0;
  if (isEmpty || ++passed !== Number(nth)) return undefined;
  process.kill(process.pid, signal);
  return new Promise((resolve) => setTimeout(resolve, 50)); // the signal arrives before the process goes on
});
