import type { Child } from "@/scripts/lib/child";
import type { Product } from "@/scripts/lib/product";

/** Long enough for Delivery to say that they are silent (15 s), and for somebody to look at it. */
const silenceMs = 30_000;
/** Workers that live shorter than this do not come up: to start them again would be no help. */
const livesMs = 10_000;

/**
 * Starts the workers again, a while after their process has ended: whoever kills them in the demo sees what that looks like, and that nothing is lost.
 * @returns the workers' process when it ends again and again; it never returns after `signal`
 */
export async function keepWorkers(product: Product, say: (line: string) => void, signal: AbortSignal): Promise<Child> {
  const ended = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  for (let workers = product.workers; ; workers = product.restartWorkers()) {
    const since = performance.now();
    await Promise.race([workers.ended, ended]);
    if (performance.now() - since < livesMs) return workers;
    say(`the workers ended; Delivery says so within 15 s, and they start again in ${silenceMs / 1000} s`);
    await Promise.race([new Promise((resolve) => setTimeout(resolve, silenceMs)), ended]);
    say("the workers start again");
  }
}
