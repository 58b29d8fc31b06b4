/** Part of JSON Schema that the form understands; everything else is edited as JSON. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  /** Kind of thing that an id in the value belongs to; the form offers those that are there. */
  readonly 'x-reference'?: string;
  /** Folded away behind the other settings. */
  readonly 'x-advanced'?: boolean;
  /** Meaning of an absent value. */
  readonly 'x-default'?: unknown;
  /** Title and description by language. */
  readonly 'x-texts'?: Readonly<Record<string, { readonly title?: string; readonly description?: string }>>;
  readonly [keyword: string]: unknown;
}

export type Config = Readonly<Record<string, unknown>>;

export const REFERENCES = ['knowledge_base', 'rubric', 'file', 'assistant'] as const;
export type Reference = (typeof REFERENCES)[number];

export type FieldKind =
  | 'switch'
  | 'choice'
  | 'whole'
  | 'number'
  | 'share'
  | 'text'
  | 'long-text'
  | 'list'
  | 'group'
  | 'reference'
  | 'references'
  | 'json';

const LONG_TEXT = 300;
const COMPOSED = ['oneOf', 'anyOf', 'allOf', '$ref', 'not', 'if', 'const', 'patternProperties', 'prefixItems'];

const typesOf = ({ type }: JsonSchema): readonly string[] => (type === undefined ? [] : [type].flat());

export const isNullable = (schema: JsonSchema): boolean => typesOf(schema).includes('null');

const referenceOf = (schema: JsonSchema): Reference | null =>
  REFERENCES.find((name) => name === schema['x-reference']) ?? null;

export const referenceIn = (schema: JsonSchema): Reference | null =>
  referenceOf(schema) ?? (schema.items === undefined ? null : referenceOf(schema.items));

export const isAdvanced = (schema: JsonSchema): boolean => schema['x-advanced'] === true;

/** The settings that refer to something, in the order of the schema. */
export const referencesOf = ({ properties = {} }: JsonSchema): readonly { kind: Reference; setting: string }[] =>
  Object.entries(properties).flatMap(([setting, schema]) => {
    const kind = referenceIn(schema);
    return kind === null ? [] : [{ kind, setting }];
  });

const isScalar = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

const KIND_OF_TYPE: Readonly<Record<string, (schema: JsonSchema) => FieldKind>> = {
  boolean: () => 'switch',
  integer: () => 'whole',
  number: ({ minimum, maximum }) => (minimum === 0 && maximum === 1 ? 'share' : 'number'),
  string: ({ maxLength }) => (maxLength !== undefined && maxLength > LONG_TEXT ? 'long-text' : 'text'),
  array: ({ items }) => (items === undefined || kindOf(items) === 'json' ? 'json' : 'list'),
  object: ({ properties, additionalProperties }) =>
    properties === undefined || (additionalProperties !== undefined && additionalProperties !== false)
      ? 'json'
      : 'group',
};

/** The control that edits values of a schema; `json` where no control fits. */
export function kindOf(schema: JsonSchema): FieldKind {
  const types = typesOf(schema).filter((type) => type !== 'null');
  if (referenceIn(schema) !== null) return types.includes('array') ? 'references' : 'reference';
  if (COMPOSED.some((keyword) => keyword in schema)) return 'json';
  if (schema.enum !== undefined) return schema.enum.every(isScalar) ? 'choice' : 'json';
  const [type, ...others] = types;
  return type === undefined || others.length > 0 ? 'json' : (KIND_OF_TYPE[type]?.(schema) ?? 'json');
}

/** The value a control shows: the stored one, else the schema's default, else what an absent value means. */
export const shownValue = (schema: JsonSchema, value: unknown): unknown =>
  value === undefined ? (schema.default ?? schema['x-default']) : value;

/** A config with one setting changed; `undefined` takes the setting out. Every other key stays as and where it was. */
export function withSetting(config: Config, name: string, value: unknown): Config {
  if (value !== undefined) return { ...config, [name]: value };
  const { [name]: _removed, ...rest } = config;
  return rest;
}

/** A config with the defaults of settings that it leaves out. */
export function withDefaults({ properties = {} }: JsonSchema, config: Config): Config {
  const defaults = Object.entries(properties).flatMap(([name, { default: value }]) =>
    value === undefined || name in config ? [] : [[name, value] as const],
  );
  return { ...config, ...Object.fromEntries(defaults) };
}

const STARTS: Partial<Readonly<Record<FieldKind, (schema: JsonSchema) => unknown>>> = {
  switch: () => false,
  whole: ({ minimum }) => minimum ?? 0,
  number: ({ minimum }) => minimum ?? 0,
  share: ({ minimum }) => minimum ?? 0,
  list: () => [],
  references: () => [],
  text: () => '',
  'long-text': () => '',
  group: ({ required, properties }) =>
    Object.fromEntries((required ?? []).map((name) => [name, startOf(properties?.[name] ?? {})])),
};

/** First value of a new item of a list. */
export function startOf(schema: JsonSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  return STARTS[kindOf(schema)]?.(schema) ?? null;
}

/** Keys of a config that its schema refuses. */
export const unknownKeys = (schema: JsonSchema, config: Config): readonly string[] =>
  schema.additionalProperties === false ? Object.keys(config).filter((key) => !(key in (schema.properties ?? {}))) : [];

export interface Complaint {
  /** Key of a text below `tools.error.` */
  readonly key:
    'minimum' | 'maximum' | 'whole' | 'number' | 'longest' | 'shortest' | 'choice' | 'pattern' | 'required' | 'most';
  readonly values?: Readonly<Record<string, number>>;
}

function numberComplaint(schema: JsonSchema, value: unknown, whole: boolean): Complaint | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return { key: 'number' };
  if (whole && !Number.isInteger(value)) return { key: 'whole' };
  if (schema.minimum !== undefined && value < schema.minimum) return { key: 'minimum', values: { n: schema.minimum } };
  if (schema.maximum !== undefined && value > schema.maximum) return { key: 'maximum', values: { n: schema.maximum } };
  return null;
}

function textComplaint({ minLength, maxLength, pattern }: JsonSchema, value: unknown): Complaint | null {
  if (typeof value !== 'string') return null;
  const length = [...value].length;
  if (maxLength !== undefined && length > maxLength) return { key: 'longest', values: { n: maxLength } };
  if (minLength !== undefined && length < minLength)
    return length === 0 ? { key: 'required' } : { key: 'shortest', values: { n: minLength } };
  return pattern !== undefined && !matches(pattern, value) ? { key: 'pattern' } : null;
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

const listComplaint = ({ maxItems }: JsonSchema, value: unknown): Complaint | null =>
  Array.isArray(value) && maxItems !== undefined && value.length > maxItems
    ? { key: 'most', values: { n: maxItems } }
    : null;

const COMPLAINTS: Partial<Readonly<Record<FieldKind, (schema: JsonSchema, value: unknown) => Complaint | null>>> = {
  whole: (schema, value) => numberComplaint(schema, value, true),
  number: (schema, value) => numberComplaint(schema, value, false),
  share: (schema, value) => numberComplaint(schema, value, false),
  text: textComplaint,
  'long-text': textComplaint,
  choice: (schema, value) => (schema.enum?.includes(value) === true ? null : { key: 'choice' }),
  list: listComplaint,
  references: listComplaint,
};

/** Plain fault of a value, found before the service is asked; null when nothing is seen. */
export function complaintOf(schema: JsonSchema, value: unknown): Complaint | null {
  if (value === undefined || (value === null && isNullable(schema))) return null;
  return COMPLAINTS[kindOf(schema)]?.(schema, value) ?? null;
}
