// Plain JavaScript that is loaded before any TypeScript, so that an old Node can still print this error.
const MIN_VERSION = 24;

if (Number.parseInt(process.versions.node, 10) < MIN_VERSION) {
  console.error(
    `Node ${MIN_VERSION} or newer is required; this is Node ${process.versions.node}. Install it from https://nodejs.org.`,
  );
  process.exit(1);
}
