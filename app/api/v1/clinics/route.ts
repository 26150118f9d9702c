export {
  methodNotAllowed as POST,
  methodNotAllowed as PUT,
  methodNotAllowed as PATCH,
  methodNotAllowed as DELETE,
} from "@/server/http/operations/no-such-operation";
export { getClinics as GET } from "@/server/http/operations/read-clinics";
