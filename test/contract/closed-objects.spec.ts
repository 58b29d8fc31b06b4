import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import document from '../../docs/reference/openapi.json';
import { PLAIN_NAME } from '../../src/organizations/settings/limit-problems';
import { settingsPatchSchema } from '../../src/organizations/settings/settings.schema';

/** Objects of request bodies that take any member, and why; every other one refuses unknown members by name. */
const OPEN: Readonly<Record<string, string>> = {
  'body of PATCH /scim/v2/Groups/{id}': 'SCIM (RFC 7644 §3.1): unknown attributes are ignored',
  'body of PATCH /scim/v2/Users/{id}': 'SCIM',
  'body of POST /scim/v2/Groups': 'SCIM',
  'body of POST /scim/v2/Users': 'SCIM',
  'body of PUT /scim/v2/Groups/{id}': 'SCIM',
  'body of PUT /scim/v2/Users/{id}': 'SCIM',
  'body of POST /api/v1/tools/{name}/validate': 'answers with the problems of any config',
  'body of POST /lamb/v1/completions/tools/{name}/validate': 'answers with the problems of any config',
  'OtherTool.config': 'an export keeps tools whose plugin is gone',
  'ToolOptions.when': 'JSON Logic',
  'ToolFallback.config': 'checked by the schema of the tool that it names',
  'ExpectationDto.config': 'checked by the schema of the kind of expectation',
  'ReceiptPartDto.value': 'a signed value, compared as a whole',
  'ReplayChangesDto.tools.*': 'checked by the schema of the tool',
};
/** Parameters of OpenAI that go on to the vendor. */
const OPENAI = /^ChatBody(\.metadata|\.response_format|\.tools\[\])?$/;

const schemas = document.components.schemas as unknown as Readonly<Record<string, JsonObject>>;

function isOpen(schema: JsonObject): boolean {
  const { type, properties, additionalProperties: others } = schema;
  const isObject = [type].flat().includes('object');
  return isObject && (others === true || (others === undefined && !isJsonObject(properties)));
}

/** Places of open objects below a schema, by the name of the DTO or body that holds them. */
function openIn(
  schema: unknown,
  path: string,
  isClosed: (schema: JsonObject) => boolean,
  seen = new Set<string>(),
): string[] {
  if (!isJsonObject(schema)) return [];
  const { $ref, properties, items, additionalProperties: others } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1) ?? '';
    if (seen.has(name)) return [];
    return openIn(schemas[name], name, isClosed, new Set([...seen, name]));
  }
  const below = (next: unknown, at: string): string[] => openIn(next, at, isClosed, seen);
  return [
    ...(isClosed(schema) ? [] : [path]),
    ...Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([key, each]) =>
      below(each, `${path}.${key}`),
    ),
    ...below(others, `${path}.*`),
    ...below(items, `${path}[]`),
    ...['oneOf', 'anyOf', 'allOf'].flatMap((key) => [schema[key] ?? []].flat().flatMap((each) => below(each, path))),
  ];
}

describe('objects that clients send', () => {
  it('refuse unknown members by name in every part of the settings of an organization', () => {
    const isClosed = (schema: JsonObject): boolean => {
      const isObject = [schema['type']].flat().includes('object');
      return !isObject || schema['additionalProperties'] === false || isJsonObject(schema['additionalProperties']);
    };
    expect(openIn(settingsPatchSchema, 'settings', isClosed)).toEqual([]);
  });

  it('have names without control characters in every part of the settings', () => {
    const unfit = (schema: unknown, path: string): string[] => {
      if (!isJsonObject(schema)) return [];
      const { properties, items, additionalProperties: others } = schema;
      const members = Object.entries(isJsonObject(properties) ? properties : {});
      return [
        ...members.filter(([name, each]) => name === 'name' && isJsonObject(each) && each['format'] !== PLAIN_NAME),
      ]
        .map(([name]) => `${path}.${name}`)
        .concat(members.flatMap(([name, each]) => unfit(each, `${path}.${name}`)))
        .concat(unfit(others, `${path}.*`), unfit(items, `${path}[]`));
    };
    expect(unfit(settingsPatchSchema, 'settings')).toEqual([]);
  });

  it('are open on purpose only', () => {
    const bodies = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) => {
        const { requestBody } = operation as { requestBody?: { content: Record<string, { schema?: unknown }> } };
        const contents = Object.entries(requestBody?.content ?? {}).filter(([type]) => !type.startsWith('multipart/'));
        return contents.map(([, { schema }]) => [`body of ${method.toUpperCase()} ${path}`, schema] as const);
      }),
    );
    const found = new Set(bodies.flatMap(([name, schema]) => openIn(schema, name, (each) => !isOpen(each))));
    const unexplained = [...found].filter((place) => !Object.hasOwn(OPEN, place) && !OPENAI.test(place));
    expect(unexplained).toEqual([]);
    expect(Object.keys(OPEN).filter((place) => !found.has(place))).toEqual([]);
  });
});
