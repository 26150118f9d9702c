export { getOutage as GET, putOutage as PUT } from "@/server/http/operations/facts";
export {
  methodNotAllowed as POST,
  methodNotAllowed as PATCH,
  methodNotAllowed as DELETE,
} from "@/server/http/operations/no-such-operation";
