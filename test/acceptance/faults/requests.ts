import type { FaultsByFile } from './fault.ts';

export const requests: FaultsByFile = {
  'shared/platform/http/pipeline/steps/parse-body.ts': [
    ['a larger body is accepted', 'const MAX_BODY_BYTES = 262_144;', 'const MAX_BODY_BYTES = 2_621_440;'],
    [
      'any media type is accepted',
      'if (types.includes(type.trim().toLowerCase())',
      'if (types.includes(type.trim().toLowerCase()) || true',
    ],
    ['a compressed body is accepted', 'if (encoding === undefined) return;', 'if (encoding !== null) return;'],
    ['merge-patch+json is refused', "['application/json', 'application/merge-patch+json']", "['application/json']"],
  ],
  'shared/platform/http/pipeline/steps/validate.ts': [
    ['deeper JSON is accepted', 'const MAX_JSON_DEPTH = 32;', 'const MAX_JSON_DEPTH = 64;'],
    [
      'a segment that is no id is a validation error',
      "throw new ProblemError('not-found');\n      return",
      "throw new ProblemError('validation-failed');\n      return",
    ],
    [
      'violations of the query hide those of the body',
      'const body = parseBody(operation, event.body, version, violations);',
      'const body = violations.length > 0 ? undefined : parseBody(operation, event.body, version, violations);',
    ],
  ],
  'shared/platform/http/request/query.ts': [
    ['the last of two equal parameters counts', 'if (parameters.has(name)) repeated.add(name);', ''],
    [
      'an unknown parameter is ignored',
      "violations.push({ parameter, code: 'unknown-parameter', detail: describeUnknown(names, i) });",
      'describeUnknown(names, i + parameter.length);',
    ],
  ],
  'shared/platform/wire/schema.ts': [
    [
      'an unknown member is ignored',
      '!Object.hasOwn(entries, key) && !ignored.includes(key)',
      '!Object.hasOwn(entries, key) && ignored.includes(`${key}?`)',
    ],
    ['U+0000 is accepted', " && !text.includes('\\0')", ''],
    ['30 February is a date', 'day <= SHORTEST_MONTH_DAYS ||', 'day <= 31 ||'],
    ['text is counted in code units', 'text.length <= max || [...text].length <= max', 'text.length <= max'],
  ],
  'shared/platform/http/pipeline/steps/head.ts': [
    [
      'HEAD has a body',
      "if (event.method !== 'HEAD' || body === undefined) return;",
      "if (event.method !== 'HEAD' || body !== null) return;",
    ],
  ],
  'shared/platform/http/pipeline/steps/cors.ts': [
    ['a script cannot read the ETag', "  'ETag',\n", ''],
    ['a script may not send If-Match', "  'If-Match',\n", ''],
  ],
  'shared/platform/http/pipeline/steps/response-headers.ts': [
    [
      'browsers may guess the media type',
      "headers['x-content-type-options'] = 'nosniff';",
      "headers['content-type'] += '';",
    ],
  ],
  'functions/service/fallback.ts': [
    ['a missing version is a missing resource', 'if (!lacksVersion(routes, rawPath))', 'if (rawPath)'],
  ],
  'shared/platform/http/pipeline/steps/dry-run.ts': [
    ['a dry run is not marked', "if (event.isDryRun) response.headers['dry-run'] = 'true';", ''],
  ],
  'shared/platform/http/request/conditional.ts': [
    ['weak tags do not match If-None-Match', ".map((tag) => tag.replace(/^W\\//, ''))", ''],
    [
      'If-None-Match: * does not match',
      "(header.trim() === '*' || (parseETags(header)?.includes(current) ?? false))",
      '(parseETags(header)?.includes(current) ?? false)',
    ],
    [
      'If-Match compares with a later version, too',
      'if (accepted.includes(String(member.version))) return member;',
      'if (accepted.some((tag) => Number(tag) <= member.version)) return member;',
    ],
    [
      'a malformed If-Match is ignored',
      '  if (!accepted) {',
      '  if (!accepted) return (member) => member;\n  if (!accepted) {',
    ],
  ],
  'shared/platform/http/pipeline/steps/precondition.ts': [
    [
      '412 has no ETag',
      'if (error instanceof ProblemError && error.details.version',
      "if (error instanceof ProblemError && error.code === 'not-found' && error.details.version",
    ],
  ],
  'shared/platform/http/request/cache-control.ts': [
    ['members are cached longer', "'private, max-age=60'", "'private, max-age=600'"],
  ],
  'shared/platform/http/pipeline/respond.ts': [
    ['lists may be cached', "'cache-control': 'private, no-cache'", "'cache-control': 'private, max-age=60'"],
    [
      'the tag does not depend on the expanded member',
      'toETag(member.version, ...embed(member).map((related) => related.version))',
      'toETag(member.version)',
    ],
    ['Location has no version', 'location: `/${version}/${resource.collection}', 'location: `/${resource.collection}'],
    ['a dry run has an id', "existsFrom === 'creation' && isCreation", 'false'],
    ['a dry run shows a secret', "existsFrom === 'commit' || ", ''],
    ['a dry run has an ETag', '...(!isDryRun && { etag })', 'etag'],
    ['304 for any If-None-Match', "isNotModified(sent['if-none-match'], etag)", "sent['if-none-match'] !== undefined"],
  ],
  'shared/platform/entity.ts': [
    [
      'a write that changes nothing is a new version',
      'isDeepStrictEqual(before, after) ? before :',
      'before === after ? before :',
    ],
    ['null in a merge patch stays as null', 'if (value === null) result.delete(name);\n    else ', ''],
    ['updated_at stays', 'version: before.version + 1, updated_at: at', 'version: before.version + 1'],
  ],
};
