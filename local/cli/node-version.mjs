// Plain JavaScript, loaded before any TypeScript, so that an old Node can still say what it lacks.
const OLDEST = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST) {
  console.error(`This service needs Node ${OLDEST} or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
