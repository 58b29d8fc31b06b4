import { Ajv, type ValidateFunction } from 'ajv';

/** What a backend accepts at `/v1/traces`: ExportTraceServiceRequest of OTLP 1.x in its JSON form. */
const string = { type: 'string' };
const uint64 = { type: 'string', pattern: '^[0-9]{1,20}$' };
const uint32 = { type: 'integer', minimum: 0 };
const hex = (digits: number): object => ({ type: 'string', pattern: `^[0-9a-f]{${digits}}$` });
const message = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const list = (items: object): object => ({ type: 'array', items });
const attributes = list({ $ref: '#/definitions/KeyValue' });

const SCHEMA = {
  definitions: {
    // Exactly one member: it is a oneof.
    AnyValue: {
      ...message({
        stringValue: string,
        boolValue: { type: 'boolean' },
        intValue: { type: 'string', pattern: '^-?[0-9]+$' },
        doubleValue: { type: 'number' },
        arrayValue: message({ values: list({ $ref: '#/definitions/AnyValue' }) }, ['values']),
      }),
      minProperties: 1,
      maxProperties: 1,
    },
    KeyValue: message({ key: { type: 'string', minLength: 1 }, value: { $ref: '#/definitions/AnyValue' } }, [
      'key',
      'value',
    ]),
    Span: message(
      {
        traceId: hex(32),
        spanId: hex(16),
        parentSpanId: hex(16),
        traceState: string,
        flags: uint32,
        name: { type: 'string', minLength: 1 },
        kind: { type: 'integer', minimum: 1, maximum: 5 },
        startTimeUnixNano: uint64,
        endTimeUnixNano: uint64,
        attributes,
        droppedAttributesCount: uint32,
        status: message({ code: { type: 'integer', minimum: 0, maximum: 2 }, message: string }),
      },
      ['traceId', 'spanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano'],
    ),
  },
  ...message(
    {
      resourceSpans: {
        ...list(
          message(
            {
              resource: message({ attributes }, ['attributes']),
              scopeSpans: list(
                message(
                  { scope: message({ name: string, version: string }), spans: list({ $ref: '#/definitions/Span' }) },
                  ['spans'],
                ),
              ),
            },
            ['resource', 'scopeSpans'],
          ),
        ),
        minItems: 1,
      },
    },
    ['resourceSpans'],
  ),
};

const validate: ValidateFunction = new Ajv({ allErrors: true, strict: false }).compile(SCHEMA);

/** What is wrong with a body, in a line each; empty for one that a backend accepts. */
export function otlpProblems(body: unknown): readonly string[] {
  validate(body);
  return (validate.errors ?? []).map(({ instancePath, message: text }) => `${instancePath} ${text ?? ''}`);
}
