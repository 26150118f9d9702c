import { live } from "@/server/http/health";
import { httpHandler } from "@/server/http/http-handler";

export const GET = httpHandler("health.live", live);
