import { Registry } from "prom-client";

const holder = globalThis as typeof globalThis & { aopsMetrics?: Registry };

/**
 * The registry of this process, web or worker. On globalThis because Next loads a module once for each bundle, and metrics of one bundle would be
 * missing from the page that another serves. Labels are closed sets (topic, consumer, outcome, role): never a tenant, an id or a person.
 */
export function metricsRegistry(): Registry {
  holder.aopsMetrics ??= new Registry();
  return holder.aopsMetrics;
}

/** Makes a metric once, whoever asks first: a second registration under one name would throw. */
export function metric<M>(name: string, make: (registry: Registry) => M): M {
  return (metricsRegistry().getSingleMetric(name) as M | undefined) ?? make(metricsRegistry());
}
