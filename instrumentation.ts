/** Next calls this once when a server starts. Workers are processes of their own: nothing loops here. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { startWeb } = await import("@/server/http/start-web");
    await startWeb();
  }
}
