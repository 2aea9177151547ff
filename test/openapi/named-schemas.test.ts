import { expect, test } from '@jest/globals';
import { withNamedSchemas } from '#shared/openapi/transforms/named-schemas.ts';

const point = { title: 'Point', type: 'object', properties: { x: { type: 'number' } } };
const named = { $ref: '#/components/schemas/Point' };
const document = (schemas: object, rest: object = {}) => ({ ...rest, components: { schemas } });

test('a schema with a title at three places: one component, and three references', () => {
  const { title: _, ...schema } = point;
  const Line = { properties: { from: point, to: { anyOf: [point, { type: 'null' }] } } };
  const parameters = (one: object) => ({ parameters: [{ name: 'at', schema: one }] });
  expect(withNamedSchemas(document({ Line }, parameters(point)))).toEqual({
    ...parameters(named),
    components: {
      schemas: { Line: { properties: { from: named, to: { anyOf: [named, { type: 'null' }] } } }, Point: schema },
    },
  });
});

test('keywords of the place of a schema: next to its reference', () => {
  const { title: _, ...schema } = point;
  const own = { description: 'The beginning.', readOnly: true, default: null };
  expect(withNamedSchemas(document({ Line: { properties: { from: { ...point, ...own } } } }))).toEqual(
    document({ Line: { properties: { from: { ...named, ...own } } }, Point: schema }),
  );
});

test.each([
  ['a property that is called `title`', { Book: { properties: { title: { type: 'string' } } } }, {}],
  ['a title of an example', {}, { content: { examples: { first: { value: { schema: { title: 'Ulysses' } } } } } }],
])('%s: no name', (_, schemas, rest) => {
  expect(withNamedSchemas(document(schemas, rest))).toEqual(document(schemas, rest));
});

test.each([
  ['of different schemas', { Line: { properties: { from: point, to: { ...point, required: ['x'] } } } }],
  ['of another component', { Line: { properties: { from: point } }, Point: {} }],
])('a title %s: an error that names it', (_, schemas) => {
  expect(() => withNamedSchemas(document(schemas))).toThrow('Two schemas are named Point.');
});
