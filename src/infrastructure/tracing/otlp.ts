import { type Attribute, type Attributes, type Span, SPAN_KINDS } from '../context';

type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

const SCOPE = { name: 'bellwether' };
const ERROR = 2;
/** The flag `sampled` of W3C Trace Context. */
const SAMPLED = 1;

/**
 * The body of a request to `/v1/traces`: OTLP 1.x in JSON. Ids are hexadecimal and 64-bit numbers are strings (OTLP
 * specification, "JSON Protobuf Encoding").
 */
export const tracesRequest = (spans: readonly Span[], resource: Attributes): object => ({
  resourceSpans: [
    {
      resource: { attributes: keyValues(resource) },
      scopeSpans: [{ scope: SCOPE, spans: spans.map(spanOf) }],
    },
  ],
});

const spanOf = (span: Span): object => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentId === null ? {} : { parentSpanId: span.parentId }),
  flags: SAMPLED,
  name: span.name,
  kind: SPAN_KINDS[span.kind],
  startTimeUnixNano: span.unixNano(span.startedAt),
  endTimeUnixNano: span.unixNano(span.endedAt ?? span.startedAt),
  attributes: keyValues(span.attributes),
  status: span.error === null ? {} : { code: ERROR, message: span.error },
});

const keyValues = (attributes: Attributes): KeyValue[] =>
  Object.entries(attributes).flatMap(([key, attribute]) => {
    const value = anyValue(attribute);
    return value === null ? [] : [{ key, value }];
  });

function anyValue(attribute: Attribute): AnyValue | null {
  if (attribute === null || attribute === undefined) return null;
  if (typeof attribute === 'string') return { stringValue: attribute };
  if (typeof attribute === 'boolean') return { boolValue: attribute };
  if (typeof attribute === 'number') {
    return Number.isSafeInteger(attribute) ? { intValue: String(attribute) } : { doubleValue: attribute };
  }
  return { arrayValue: { values: attribute.map((stringValue) => ({ stringValue })) } };
}

/** Spans that the backend did not keep (`partialSuccess`); 0 for any other answer. */
export function rejectedSpans(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: string | number } };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}
