import { httpHandler } from "@/server/http/http-handler";
import { handleTrpc } from "@/server/trpc/handle-trpc";

const handler = httpHandler<{ trpc: string }>("trpc", handleTrpc);

export { handler as GET, handler as POST };
