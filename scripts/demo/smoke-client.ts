import { request } from "node:http";

export type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: unknown };
export type Client = {
  get: (path: string) => Promise<Answer>;
  post: (path: string, key: string, body: unknown) => Promise<Answer>;
  /** Sends the whole request and never reads the answer: the line is cut when `served` says that the answer exists. */
  postAndLoseAnswer: (path: string, key: string, body: unknown, served: () => Promise<boolean>) => Promise<void>;
};

/** Plain HTTP with an API token, a connection for each call. */
export function newClient(origin: string, token: string): Client {
  const open = (method: string, path: string, headers: Record<string, string>) =>
    request(new URL(path, origin), { method, agent: false, headers: { authorization: `Bearer ${token}`, ...headers } });
  const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    new Promise<Answer>((resolve, reject) => {
      const call = open(method, path, headers);
      call.once("error", reject);
      call.once("response", (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text ? JSON.parse(text) : undefined }),
        );
      });
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const keyed = (key: string) => ({ "content-type": "application/json", "idempotency-key": key });
  return {
    get: (path) => send("GET", path, {}),
    post: (path, key, body) => send("POST", path, keyed(key), body),
    postAndLoseAnswer: async (path, key, body, served) => {
      const call = open("POST", path, keyed(key));
      call.on("error", () => {}); // of the cut below
      call.on("socket", (socket) => socket.once("connect", () => socket.pause()));
      await new Promise<void>((resolve) => call.end(JSON.stringify(body), resolve));
      for (const end = Date.now() + 20_000; !(await served()); ) {
        if (Date.now() > end) throw new Error("the first call was not served within 20 s");
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      call.destroy();
    },
  };
}
