import { httpHandler } from "@/server/http/http-handler";
import { metricsPage } from "@/server/http/metrics-page";

export const GET = httpHandler("metrics", metricsPage);
