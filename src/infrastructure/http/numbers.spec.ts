import type { OpenAPIObject } from '@nestjs/swagger';
import { DECIMAL, wholeNumbers } from './numbers';

const documentOf = (properties: object, parameters: object[] = []): OpenAPIObject =>
  ({
    openapi: '3.1.0',
    info: { title: 'An API', version: '1' },
    paths: { '/things': { get: { parameters, responses: {} } } },
    components: { schemas: { ThingDto: { type: 'object', properties } } },
  }) as unknown as OpenAPIObject;

const propertiesOf = ({ components }: OpenAPIObject): unknown =>
  (components?.schemas?.['ThingDto'] as { properties?: unknown }).properties;

it('numbers of classes and parameters are integers, also in lists and beside null', () => {
  const number = { type: 'number' };
  const whole = wholeNumbers(
    documentOf({ id: number, counts: { type: 'array', items: number }, limit: { type: ['number', 'null'] } }, [
      { name: 'id', in: 'path', schema: number },
    ]),
  );
  const integer = { type: 'integer' };
  expect(propertiesOf(whole)).toEqual({
    id: integer,
    counts: { type: 'array', items: integer },
    limit: { type: ['integer', 'null'] },
  });
  expect(whole.paths['/things']?.get?.parameters).toEqual([{ name: 'id', in: 'path', schema: integer }]);
});

it('numbers that may have decimals stay, and so does a property called type', () => {
  const properties = { similarity: { ...DECIMAL }, type: { type: 'string' } };
  expect(propertiesOf(wholeNumbers(documentOf(properties)))).toEqual(properties);
});
