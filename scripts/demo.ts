import { demoArguments, USAGE } from "@/scripts/demo/arguments";
import { runDemo } from "@/scripts/demo/run-demo";
import { runSmoke } from "@/scripts/demo/run-smoke";

/** npm run demo: the whole product on this machine, with data that stay in .data/. See USAGE. */
try {
  const options = demoArguments(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else if (options.smoke) process.exitCode = await runSmoke(options);
  else process.exit(await runDemo(options)); // a step that was cut short may still hold a connection
} catch (error) {
  console.error(`\n${(error as Error).message}`);
  process.exitCode = 1;
}
