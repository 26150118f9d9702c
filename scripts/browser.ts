import { findOrInstallBrowser } from "@/scripts/lib/browser";

// Prints the browser that the tests will use, and installs one first where none is.
console.log(await findOrInstallBrowser((line) => console.error(line)));
