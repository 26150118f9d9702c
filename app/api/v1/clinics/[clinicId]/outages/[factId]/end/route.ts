export { postOutageEnd as POST } from "@/server/http/operations/facts";
export {
  methodNotAllowed as GET,
  methodNotAllowed as PUT,
  methodNotAllowed as PATCH,
  methodNotAllowed as DELETE,
} from "@/server/http/operations/no-such-operation";
