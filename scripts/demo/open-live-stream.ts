import { DEMO_PASSWORD, DEMO_USERS } from "@/scripts/demo/people";

/**
 * An open screen, as the web app sees one: somebody signed in, with a stream of server-sent events that nobody closes.
 * @returns a promise of the stream's end, however it came
 * @throws Error when the sign-in or the stream is refused
 */
export async function openLiveStream(origin: string): Promise<{ ended: Promise<void> }> {
  const answer = await fetch(`${origin}/api/live`, { headers: { cookie: await signIn(origin) } });
  const reader = answer.body?.getReader();
  if (answer.status !== 200 || !reader) throw new Error(`the stream of an open screen was answered with ${answer.status}`);
  await reader.read(); // it says something at once: from here on it is open
  const untilEnd = async () => {
    while (!(await reader.read()).done);
  };
  return { ended: untilEnd().catch(() => {}) }; // cut or closed
}

/** As the form of the sign-in page does. @returns the cookies of the session */
async function signIn(origin: string): Promise<string> {
  const token = await fetch(`${origin}/api/auth/csrf`);
  const { csrfToken } = (await token.json()) as { csrfToken: string };
  const signedIn = await fetch(`${origin}/api/auth/callback/credentials`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: cookiesOf(token) },
    body: new URLSearchParams({ csrfToken, email: DEMO_USERS[0]?.email ?? "", password: DEMO_PASSWORD }),
  });
  const cookies = cookiesOf(signedIn);
  if (!cookies.includes("session-token=")) throw new Error(`the sign-in was answered with ${signedIn.status}`);
  return cookies;
}

const cookiesOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
