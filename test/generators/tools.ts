/** A tool that reads the OpenAPI document, and a program that makes calls with what it generates. */
export interface Tool {
  readonly name: string;
  /** Its command, which writes to `output/`. docs/clients.md explains it. */
  readonly command: string;
  /** A file of `clients/`. */
  readonly client?: string;
}

/** The tools of package.json: their commands are those of `npx`. */
export const NPM_TOOLS: readonly Tool[] = [
  { name: 'Spectral', command: 'spectral lint --fail-severity warn output/openapi.json' },
  { name: 'hey-api', command: 'openapi-ts -i ./output/openapi.json -o output/hey-api', client: 'hey-api.ts' },
  {
    name: 'openapi-typescript',
    command: 'openapi-typescript output/openapi.json --default-non-nullable=false -o output/openapi-typescript.ts',
    client: 'openapi-fetch.ts',
  },
  { name: 'orval', command: 'orval', client: 'orval.ts' },
  {
    name: 'Postman',
    command:
      'openapi2postmanv2 -s output/openapi.json -o output/postman.json -O parametersResolution=Example,enableOptionalParameters=false',
    client: 'postman.mjs',
  },
  { name: 'Bruno', command: 'bru import openapi -s output/openapi.json -o output -n Invoicing', client: 'bruno.mjs' },
];

/** The tools of requirements.in. */
export const PYTHON_TOOLS: readonly Tool[] = [
  {
    name: 'openapi-generator',
    command:
      'openapi-generator-cli generate -i output/openapi.json -g python --package-name invoicing -o output/python',
    client: 'openapi_generator.py',
  },
  {
    name: 'openapi-python-client',
    command:
      'openapi-python-client generate --path output/openapi.json --meta none --output-path output/invoicing_client --fail-on-warning',
    client: 'openapi_python_client.py',
  },
];
