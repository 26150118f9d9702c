export { postStatus as POST } from "@/server/http/operations/change-appointment";
export {
  methodNotAllowed as GET,
  methodNotAllowed as PUT,
  methodNotAllowed as PATCH,
  methodNotAllowed as DELETE,
} from "@/server/http/operations/no-such-operation";
