/** A tool that reads the OpenAPI document, and a program that makes calls with what it generates. */
export interface Tool {
  readonly name: string;
  /** What must be on the PATH. Without it, the tool is skipped. */
  readonly needs?: readonly Runtime[];
  /** Its commands, which write to `output/`. docs/clients.md explains them. */
  readonly commands: readonly string[];
  /** A file or a Go package of `clients/`. */
  readonly client?: string;
}

export type Runtime = 'python' | 'go' | 'java';

/** Tools without `needs` are those of package.json, with Python those of requirements.in, and with Go those of go.mod. */
export const TOOLS: readonly Tool[] = [
  { name: 'Spectral', commands: ['npx spectral lint --fail-severity warn output/openapi.json'] },
  { name: 'hey-api', commands: ['npx openapi-ts -i ./output/openapi.json -o output/hey-api'], client: 'hey-api.ts' },
  {
    name: 'openapi-typescript',
    commands: [
      'npx openapi-typescript output/openapi.json --default-non-nullable=false -o output/openapi-typescript.ts',
    ],
    client: 'openapi-fetch.ts',
  },
  { name: 'orval', commands: ['npx orval'], client: 'orval.ts' },
  {
    name: 'Postman',
    commands: [
      'npx openapi2postmanv2 -s output/openapi.json -o output/postman.json -O parametersResolution=Example,enableOptionalParameters=false',
    ],
    client: 'postman.mjs',
  },
  {
    name: 'Bruno',
    commands: ['npx bru import openapi -s output/openapi.json -o output -n Invoicing'],
    client: 'bruno.mjs',
  },
  {
    name: 'openapi-generator python',
    needs: ['python'],
    commands: [
      'openapi-generator-cli generate -i output/openapi.json -g python --package-name invoicing -o output/python',
    ],
    client: 'openapi_generator.py',
  },
  {
    name: 'openapi-generator typescript-fetch',
    needs: ['python'],
    commands: [
      'openapi-generator-cli generate -i output/without-webhooks.json -g typescript-fetch -o output/typescript-fetch',
    ],
    client: 'typescript-fetch.ts',
  },
  {
    name: 'openapi-generator go',
    needs: ['python', 'go'],
    commands: [
      'openapi-generator-cli generate -i output/openapi.json -g go --package-name invoicing -p withGoMod=false,enumClassPrefix=true --global-property apiTests=false,modelTests=false -o output/openapi-generator-go',
    ],
    client: 'openapi-generator-go',
  },
  {
    name: 'openapi-generator java',
    needs: ['python', 'java'],
    commands: [
      'openapi-generator-cli generate -i output/openapi.json -g java --library native -o output/java',
      'mvn --batch-mode --quiet --file output/java compile org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies',
    ],
    client: 'OpenApiGenerator.java',
  },
  {
    name: 'openapi-python-client',
    needs: ['python'],
    commands: [
      'openapi-python-client generate --path output/openapi.json --meta none --output-path output/invoicing_client --fail-on-warning',
    ],
    client: 'openapi_python_client.py',
  },
  {
    name: 'oapi-codegen',
    needs: ['go'],
    commands: [
      'mkdir -p output/oapi-codegen',
      'go tool oapi-codegen -generate types,client,skip-prune -package invoicing -o output/oapi-codegen/client.go output/openapi.json',
    ],
    client: 'oapi-codegen',
  },
  {
    name: 'ogen',
    needs: ['go'],
    commands: ['go tool ogen --config ogen.yml --target output/ogen --package invoicing --clean output/openapi.json'],
    client: 'ogen',
  },
];
