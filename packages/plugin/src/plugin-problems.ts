import { Ajv, type ValidateFunction } from 'ajv';
import { type Entry, type Plugin, PLUGIN_KINDS, type PluginKind } from './define-plugin';
import { CLASSIC_SETTINGS } from './processor.types';
import { STRATEGY_ORDERS, STRATEGY_SETTINGS } from './strategy.types';
import { DISPLAY_LANGUAGES, EVIDENCE, TOOL_ROLES } from './tool.types';

/**
 * Keywords for the web form: `x-reference` names the kind of resource of an id, `x-texts` holds title and description by
 * language, `x-advanced` hides a setting under "More settings", `x-default` is what an absent setting means.
 */
export const SCHEMA_VOCABULARY = ['x-reference', 'x-texts', 'x-advanced', 'x-default'];

const TEXT = { type: 'string', pattern: '\\S' };
const STRINGS = { type: 'array', items: { type: 'string' } };
const OBJECT = { type: 'object' };
const NAME = { type: 'string', pattern: '^[a-z][a-z0-9_-]*$' };
const SCHEMA = { ...OBJECT, properties: { type: { const: 'object' } }, required: ['type'] };

const textsOf = (...members: string[]): object => {
  const properties = Object.fromEntries(members.map((each) => [each, TEXT] as const));
  const text = { ...OBJECT, properties, required: members };
  const languages = DISPLAY_LANGUAGES.map((language) => [language, text] as const);
  return { ...OBJECT, properties: Object.fromEntries(languages), additionalProperties: false };
};

const definition = (properties: object, optional: readonly string[]) => ({
  ...OBJECT,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const toolDefinition = (kind: 'pipeline' | 'function', placeholder: object) =>
  definition(
    {
      name: NAME,
      aliases: STRINGS,
      display_name: TEXT,
      description: TEXT,
      texts: textsOf('name', 'about'),
      placeholder,
      category: TEXT,
      role: { enum: TOOL_ROLES },
      evidence: { enum: EVIDENCE },
      version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+' },
      config_schema: SCHEMA,
      kind: { const: kind },
      icon: TEXT,
      allow_multiple: { type: 'boolean' },
      parameters: OBJECT,
      examples: { type: 'array', items: { ...OBJECT, required: ['query', 'parameters', 'expected_result'] } },
      capabilities: STRINGS,
      limitations: STRINGS,
      cost: { ...OBJECT, required: ['unit', 'estimate'] },
    },
    ['texts', 'role', 'evidence'],
  );

const PROCESSOR = definition(
  {
    name: NAME,
    aliases: STRINGS,
    description: TEXT,
    texts: textsOf('name', 'about'),
    settings: { type: 'array', items: { enum: CLASSIC_SETTINGS } },
    slots: STRINGS,
  },
  ['texts', 'settings', 'slots'],
);

const STRATEGY = definition(
  {
    name: NAME,
    description: TEXT,
    texts: textsOf('name', 'about', 'best'),
    reads: { type: 'array', items: { enum: STRATEGY_SETTINGS } },
    shape: definition({ order: { enum: STRATEGY_ORDERS }, planned: { type: 'boolean' } }, []),
    options_schema: SCHEMA,
  },
  ['texts'],
);

const FLAG = { type: 'boolean' };
const ABILITIES = { streaming: FLAG, vision: FLAG, functions: FLAG, image_generation: FLAG };
const VARIABLE = { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$' };
const VENDOR = definition(
  {
    name: { type: 'string', pattern: '^[a-z]+$' },
    needsKey: FLAG,
    baseUrl: { type: ['string', 'null'] },
    environment: { ...OBJECT, properties: { apiKey: VARIABLE, baseUrl: VARIABLE }, additionalProperties: false },
  },
  [],
);

const CONNECTOR = definition(
  {
    name: NAME,
    aliases: STRINGS,
    display_name: TEXT,
    description: TEXT,
    texts: OBJECT,
    icon: TEXT,
    capabilities: definition(ABILITIES, []),
    vendor: { oneOf: [{ type: 'null' }, VENDOR] },
    models: STRINGS,
    defaultModel: { type: ['string', 'null'] },
  },
  [],
);

interface Kind {
  readonly definition: object;
  readonly methods: readonly string[];
  /** Member of the definition that is a JSON Schema of settings. */
  readonly settings?: string;
}

const KINDS: Readonly<Record<PluginKind, Kind>> = {
  tools: {
    definition: toolDefinition('pipeline', { type: ['string', 'null'], pattern: '^[a-z][a-z0-9_]*$' }),
    methods: ['run'],
    settings: 'config_schema',
  },
  strategies: { definition: STRATEGY, methods: ['compile'], settings: 'options_schema' },
  connectors: { definition: CONNECTOR, methods: [] },
  promptProcessors: { definition: PROCESSOR, methods: ['build'] },
  ragProcessors: { definition: PROCESSOR, methods: ['run'] },
  functions: {
    definition: toolDefinition('function', { type: 'null' }),
    methods: ['offer', 'call'],
    settings: 'config_schema',
  },
};

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true }).addVocabulary(SCHEMA_VOCABULARY);

const wrong = (validate: ValidateFunction, value: unknown, where: string): string[] =>
  validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message = 'is not valid' }) =>
        `${where}${instancePath.replaceAll('/', '.')} ${message}`.trim(),
      );

/** Everything that is wrong with one entry of a plugin; the same checks at the service's start and in conformance suites. */
export function entryProblems(kind: PluginKind, entry: unknown): string[] {
  if (!isObject(entry)) return ['is no object and no class'];
  const { definition: schema, methods, settings } = KINDS[kind];
  const problems = methods
    .filter((method) => typeof entry[method] !== 'function')
    .map((method) => `has no method ${method}`);
  if (!isObject(entry['definition'])) return [...problems, 'has no definition'];
  const found = wrong(ajv.compile(schema), entry['definition'], 'definition');
  problems.push(...found);
  if (found.length === 0 && settings !== undefined) problems.push(...settingsProblems(entry['definition'], settings));
  if (found.length === 0 && kind === 'connectors') problems.push(...connectorProblems(entry));
  return problems;
}

function settingsProblems(definition: Members, member: string): string[] {
  let validate: ValidateFunction;
  try {
    const schema = definition[member] as object;
    // Each `Ajv` would compile the schema of schemas for itself.
    void ajv.validateSchema(schema, true);
    validate = new Ajv({ allErrors: true, useDefaults: true, allowUnionTypes: true, validateSchema: false })
      .addVocabulary(SCHEMA_VOCABULARY)
      .compile(schema);
  } catch (error) {
    return [`definition.${member} does not compile: ${error instanceof Error ? error.message : String(error)}`];
  }
  const examples = (definition['examples'] ?? []) as readonly { readonly parameters: unknown }[];
  return examples.flatMap(({ parameters }, index) =>
    wrong(validate, structuredClone(parameters), `definition.examples.${index}.parameters`),
  );
}

function connectorProblems({ definition, codec, answer, embeddings }: Members): string[] {
  const { vendor, embeddings: ability } = definition as Members;
  const problems: string[] = [];
  if (vendor === null && typeof answer !== 'function')
    problems.push('has no method answer, which one without vendor needs');
  if (vendor !== null) {
    if (!isObject(codec)) return ['has no codec, which one with a vendor needs'];
    for (const method of ['encode', 'decoder'])
      if (typeof codec[method] !== 'function') problems.push(`codec has no method ${method}`);
    if (!['sse', 'lines'].includes(String(codec['framing']))) problems.push('codec.framing must be sse or lines');
  }
  if (ability !== undefined && typeof embeddings !== 'function') problems.push('has no method embeddings');
  return problems;
}

const made = (entry: Entry<object>): object =>
  typeof entry === 'function' ? new (entry as new () => object)() : entry;

const nameOf = (entry: unknown): string => {
  const name = isObject(entry) && isObject(entry['definition']) ? entry['definition']['name'] : undefined;
  return typeof name === 'string' ? ` (${name})` : '';
};

/**
 * Makes the objects of a plugin and checks them all. `plugin` has the entries that nothing is wrong with: while there are
 * problems, they serve to find clashes of names.
 */
export function readPlugin(exported: unknown): { readonly plugin: Plugin; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const parts = isObject(exported) ? exported : {};
  if (parts !== exported) problems.push('its default export is not what definePlugin gives');
  const known: readonly string[] = [...PLUGIN_KINDS, 'replaces'];
  for (const member of Object.keys(parts))
    if (!known.includes(member)) problems.push(`${member} is none of ${known.join(', ')}`);
  const read = (kind: PluginKind): object[] => {
    const entries = parts[kind] ?? [];
    if (!Array.isArray(entries)) {
      problems.push(`${kind} is no list`);
      return [];
    }
    return entries.flatMap((entry: Entry<object>, index) => {
      try {
        const object = made(entry);
        const found = entryProblems(kind, object);
        problems.push(...found.map((text) => `${kind}[${index}]${nameOf(object)} ${text}`));
        return found.length === 0 ? [object] : [];
      } catch (error) {
        problems.push(`${kind}[${index}] cannot be made: ${error instanceof Error ? error.message : String(error)}`);
        return [];
      }
    });
  };
  const { replaces = [] } = parts;
  const isNames = Array.isArray(replaces) && replaces.every((name) => typeof name === 'string');
  if (!isNames) problems.push('replaces is no list of names');
  const lists = Object.fromEntries(PLUGIN_KINDS.map((kind) => [kind, read(kind)]));
  const plugin = { ...lists, replaces: isNames ? replaces : [] } as unknown as Plugin;
  if (problems.length === 0 && PLUGIN_KINDS.every((kind) => plugin[kind].length === 0))
    problems.push('it brings nothing');
  return { plugin, problems };
}
