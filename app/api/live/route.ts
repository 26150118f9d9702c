import { httpHandler } from "@/server/http/http-handler";
import { liveStream } from "@/server/live/live-stream";

export const GET = httpHandler("live", liveStream);
