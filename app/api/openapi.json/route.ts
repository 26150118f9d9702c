export { getOpenApi as GET } from "@/server/http/operations/read-openapi";
