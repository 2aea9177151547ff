/** A generator of clients, and a program that makes calls with what it generates. */
export interface Tool {
  readonly name: string;
  /** The programs that must be on the PATH. Without them, the tool is skipped. */
  readonly needs: readonly string[];
  /** Its commands, which read and write `output/`. docs/clients.md explains them. */
  readonly commands: readonly string[];
  /** The commands that run the program; the last one prints its results. */
  readonly program: readonly string[];
}

/** Their versions are in package.json, requirements.in and go.mod. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'hey-api',
    needs: [],
    commands: ['npx openapi-ts -i ./output/openapi.json -o output/hey-api'],
    // esbuild bundles the program, because its imports of generated files have no extensions.
    program: [
      'npx tsc',
      'esbuild clients/hey-api.ts --bundle --platform=node --format=esm --outfile=output/hey-api.mjs',
      'node output/hey-api.mjs',
    ],
  },
  {
    name: 'openapi-generator python',
    needs: ['python3'],
    commands: [
      'openapi-generator-cli generate -i output/openapi.json -g python --package-name invoicing -o output/python',
    ],
    program: ['python clients/openapi_generator.py'],
  },
  {
    name: 'openapi-generator java',
    needs: ['python3', 'mvn', 'javac'],
    commands: [
      'openapi-generator-cli generate -i output/openapi.json -g java --library native -o output/java',
      'mvn --batch-mode --quiet --file output/java compile org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies',
    ],
    program: ['java -cp output/java/target/classes:output/java/target/dependency/* clients/OpenApiGenerator.java'],
  },
  {
    name: 'oapi-codegen',
    needs: ['go'],
    commands: [
      'mkdir -p output/oapi-codegen',
      'go tool oapi-codegen -generate types,client,skip-prune -package invoicing -o output/oapi-codegen/client.go output/openapi.json',
    ],
    program: ['go run ./clients/oapi-codegen'],
  },
];
