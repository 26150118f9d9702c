export {
  noSuchOperation as DELETE,
  noSuchOperation as GET,
  noSuchOperation as PATCH,
  noSuchOperation as POST,
  noSuchOperation as PUT,
} from "@/server/http/operations/no-such-operation";
