import { expect, test } from '@jest/globals';
import { withNamedSchemas } from '#shared/openapi/named-schemas.ts';

const point = { title: 'Point', type: 'object', properties: { x: { type: 'number' } } };
const named = { $ref: '#/components/schemas/Point' };

test('a schema with a title at two places: one component, and two references', () => {
  const { title: _, ...schema } = point;
  const Line = { properties: { from: point, to: { anyOf: [point, { type: 'null' }] } } };
  expect(withNamedSchemas({ Line })).toEqual({
    Line: { properties: { from: named, to: { anyOf: [named, { type: 'null' }] } } },
    Point: schema,
  });
});

test('a property that is called `title`: no name', () => {
  const Book = { properties: { title: { type: 'string' } } };
  expect(withNamedSchemas({ Book })).toEqual({ Book });
});

test.each([
  ['of different schemas', { Line: { properties: { from: point, to: { ...point, required: ['x'] } } } }],
  ['of another component', { Line: { properties: { from: point } }, Point: {} }],
])('a title %s: an error that names it', (_, schemas) => {
  expect(() => withNamedSchemas(schemas)).toThrow('Two schemas are named Point.');
});
