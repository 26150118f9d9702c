// Loaded with --import into the processes that a script starts: when the script is gone, even by SIGKILL, the channel to it closes, and this
// process ends as if it had been asked to.
if (process.channel) {
  process.on("disconnect", () => {
    setTimeout(() => process.exit(1), 9_000).unref();
    process.kill(process.pid, "SIGTERM");
  });
  process.channel.unref();
}
