export { postAppointment as POST } from "@/server/http/operations/create-appointment";
export { methodNotAllowed as PUT, methodNotAllowed as PATCH, methodNotAllowed as DELETE } from "@/server/http/operations/no-such-operation";
export { getAppointments as GET } from "@/server/http/operations/read-appointments";
