import { type JsonObject, isJsonObject } from '@bellwether/kernel';
import type { StrategyDefinition } from '../../orchestrators';
import type { ProcessorDefinition } from '../../processors';
import { FALLBACK_CONDITIONS, ON_DEPENDENCY_FAILURE, ON_ERROR, type ToolDefinition } from '../../tools';
import { MAX_LABEL, MAX_RETRIES, MAX_TIMEOUT_MS } from './diagnostics/check-tool';
import {
  MAX_EXAMPLE_QUESTIONS,
  MAX_EXAMPLE_QUESTION_CHARS,
  MAX_SUGGESTED_QUESTIONS,
  MAX_SUGGESTED_QUESTION_CHARS,
} from './metadata/definition';

/** The plugins that are there when the schemas are made, those from outside included. */
interface InstalledPlugins {
  readonly tools: readonly ToolDefinition[];
  readonly functions: readonly ToolDefinition[];
  readonly strategies: readonly StrategyDefinition[];
  readonly promptProcessors: readonly ProcessorDefinition[];
  readonly ragProcessors: readonly ProcessorDefinition[];
  readonly connectors: readonly string[];
}

type Schemas = Record<string, JsonObject>;

/** Schema of metadata in requests: tools, strategies and processors are those that are installed. */
export const METADATA_SCHEMA = 'AssistantMetadata';
/** Schema of stored metadata: plugins that are gone are kept. */
const STORED_METADATA_SCHEMA = 'StoredMetadata';

export const refTo = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** Property of an answer that holds stored metadata. */
export const STORED_METADATA = { allOf: [refTo(STORED_METADATA_SCHEMA)] };

const text = (description: string): JsonObject => ({ type: 'string', description });
const OPEN_OBJECT: JsonObject = { type: 'object', additionalProperties: true };
const flag = (description: string): JsonObject => ({ type: 'boolean', description });
const choice = (values: readonly string[], description: string): JsonObject => ({
  type: 'string',
  enum: values,
  description,
});
const list = (items: JsonObject, description: string): JsonObject => ({ type: 'array', items, description });

/** Tells a default in words: generators take a setting that has one for a setting that is always there. */
function worded({ default: absent, ...schema }: JsonObject): JsonObject {
  const isEmpty =
    absent === undefined || absent === null || absent === '' || (Array.isArray(absent) && absent.length === 0);
  if (isEmpty) return schema;
  const { description } = schema;
  const told = typeof description === 'string' ? `${description} ` : '';
  return { ...schema, description: `${told}Default: ${JSON.stringify(absent)}.` };
}

/** Leaves out titles, translations and hints, which are for the web form. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (!isJsonObject(schema)) return schema;
  const told = Object.entries(schema).filter(([key]) => !key.startsWith('x-'));
  return Object.fromEntries(told.map(([key, value]) => [key, key === 'properties' ? plainEach(value) : plain(value)]));
}

function plainEach(properties: unknown): unknown {
  if (!isJsonObject(properties)) return properties;
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const { title: _title, ...rest } = isJsonObject(schema) ? schema : {};
      return [name, worded(plain(rest) as JsonObject)];
    }),
  );
}

/** Schema of settings as they are sent: what has a default may be absent. */
function settings(schema: JsonObject): JsonObject {
  const { required, ...rest } = plain(schema) as JsonObject;
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const wanted = (Array.isArray(required) ? required : []).filter((name: unknown) => {
    const property = properties[String(name)];
    return !isJsonObject(property) || property['default'] === undefined;
  });
  return wanted.length === 0 ? rest : { ...rest, required: wanted };
}

/** `simple_rag` as `SimpleRag`. */
const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== '')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

const configName = (name: string): string => `${pascal(name)}Config`;
const entryName = (name: string): string => `${pascal(name)}Tool`;

/** Keys that entries of all tools have; `check-tool` checks them. */
function entryOptions(): Record<string, JsonObject> {
  const question = { type: 'string', maxLength: MAX_EXAMPLE_QUESTION_CHARS };
  return {
    placeholder: text('Slot that it fills, without braces, such as `1_context`. Absent: the next number.'),
    label: { ...text('Name for people. Absent: by its content.'), maxLength: MAX_LABEL },
    enabled: flag('Whether it runs. Default: true.'),
    example_questions: {
      ...list(question, 'Questions that the tool is for; the strategy `planned` reads them.'),
      maxItems: MAX_EXAMPLE_QUESTIONS,
    },
    depends_on: list({ type: 'string' }, 'Placeholders of tools that must end first.'),
    on_dependency_failure: choice(ON_DEPENDENCY_FAILURE, 'When one of those failed. Default: skip.'),
    when: { anyOf: [OPEN_OBJECT, { type: 'boolean' }, { type: 'null' }], description: 'JSON Logic. Absent: always.' },
    on_error: choice(ON_ERROR, 'When it fails. Default: continue.'),
    fallback: refTo('ToolFallback'),
    timeout_ms: { type: 'integer', minimum: 1, maximum: MAX_TIMEOUT_MS, description: 'Of the call with its retries.' },
    retries: { type: 'integer', minimum: 0, maximum: MAX_RETRIES },
    cache: flag('Whether a result may be reused. Default: true.'),
  };
}

function fallbackSchema(plugin: JsonObject): JsonObject {
  return {
    type: 'object',
    description: 'Another tool that fills the slot in its place.',
    properties: {
      plugin,
      config: { ...OPEN_OBJECT, description: 'Settings of that tool.' },
      condition: choice(FALLBACK_CONDITIONS, 'When it runs. Default: on_error.'),
      threshold: { type: 'number', minimum: 0, maximum: 1, description: 'A confidence below it is low. Default: 0.5.' },
    },
    required: ['plugin'],
  };
}

function toolSchemas(tools: readonly ToolDefinition[]): Schemas {
  const names = tools.map(({ name }) => name);
  const each = tools.flatMap(({ name, description, config_schema: config }): [string, JsonObject][] => [
    [configName(name), settings(config)],
    [
      entryName(name),
      {
        description,
        allOf: [
          refTo('ToolOptions'),
          {
            type: 'object',
            properties: { plugin: { type: 'string', enum: [name] }, config: refTo(configName(name)) },
            required: ['plugin'],
          },
        ],
      },
    ],
  ]);
  return {
    ToolOptions: { type: 'object', properties: entryOptions() },
    ToolFallback: fallbackSchema({ type: 'string', description: `Name of a tool: ${names.join(', ')}` }),
    ...Object.fromEntries(each),
    AnyTool: {
      description: 'A tool of a multi-tool assistant, with the settings of its plugin.',
      oneOf: names.map((name) => refTo(entryName(name))),
      discriminator: {
        propertyName: 'plugin',
        mapping: Object.fromEntries(names.map((name) => [name, refTo(entryName(name)).$ref])),
      },
    },
    OtherTool: {
      description: 'A tool whose plugin is not installed, or is stored under an older name.',
      allOf: [
        refTo('ToolOptions'),
        {
          type: 'object',
          properties: {
            plugin: { type: 'string' },
            type: text('Means `plugin` in older documents.'),
            config: OPEN_OBJECT,
          },
        },
      ],
    },
  };
}

/** A function is stored as its name, or as an object: its `type` beside its settings. */
function functionSchemas(functions: readonly ToolDefinition[]): Schemas {
  const each = functions.map(({ name, description, config_schema }): [string, JsonObject] => {
    const config = settings(config_schema);
    const properties = isJsonObject(config['properties']) ? config['properties'] : {};
    const required = Array.isArray(config['required']) ? (config['required'] as unknown[]) : [];
    const type = { type: 'string', enum: [name] };
    return [
      `${pascal(name)}Function`,
      { ...config, description, properties: { type, ...properties }, required: ['type', ...required] },
    ];
  });
  return {
    ...Object.fromEntries(each),
    AnyFunction: {
      description: 'A function that the model may call: its name, or an object with its settings.',
      anyOf: [{ type: 'string' }, ...each.map(([name]) => refTo(name))],
    },
    OtherFunction: { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] },
  };
}

/** Keys of documents of every version. */
function sharedKeys(connectors: readonly string[]): Record<string, JsonObject> {
  const question = { type: 'string', minLength: 1, maxLength: MAX_SUGGESTED_QUESTION_CHARS };
  return {
    connector: text(`Model vendor: auto, ${connectors.join(', ')}. Absent: \`auto\`, the organization's default.`),
    llm: { type: ['string', 'null'], description: 'Model name. Absent: the default.' },
    capabilities: {
      type: 'object',
      properties: {
        vision: flag('Lets images through.'),
        image_generation: flag('Stored for clients.'),
        tool_use: flag('Derived in answers: the document has functions.'),
      },
    },
    verbose: flag('The report instead of a model call, for those who may edit the assistant.'),
    only_from_material: flag('Without an answer in the material there is no answer.'),
    suggested_questions: {
      ...list(question, 'First questions that the chat offers.'),
      maxItems: MAX_SUGGESTED_QUESTIONS,
    },
  };
}

const version = (value: number): JsonObject => ({ type: 'integer', enum: [value] });
const OPTIONAL_FUNCTIONS = 'What the model may call.';

interface Variant {
  readonly prefix: string;
  readonly tool: JsonObject;
  readonly fn: JsonObject;
  /** Names of a plugin: the installed ones, or any. */
  readonly named: (names: readonly string[], description: string) => JsonObject;
}

const strategiesWithOptions = (strategies: readonly StrategyDefinition[]): readonly StrategyDefinition[] =>
  strategies.filter(
    ({ options_schema: { properties } }) => isJsonObject(properties) && Object.keys(properties).length > 0,
  );

function multiTool(plugins: InstalledPlugins, { tool, fn, named }: Variant): JsonObject {
  const names = plugins.strategies.map(({ name }) => name);
  const options = strategiesWithOptions(plugins.strategies).map(({ name }) => refTo(`${pascal(name)}Options`));
  const empty = { type: 'object', properties: {}, additionalProperties: false };
  return {
    type: 'object',
    description: 'Version 3, a multi-tool assistant: numbered tools and a strategy that runs them.',
    properties: {
      _format_version: version(3),
      assistant_type: { type: 'string', enum: ['multi_tool'] },
      orchestrator: named(names, 'Strategy that runs the tools. Default: sequential.'),
      orchestrator_options: { description: 'Settings of the strategy.', anyOf: [...options, empty] },
      ...sharedKeys(plugins.connectors),
      tools: list(tool, 'Run before the model and fill placeholders.'),
      functions: list(fn, OPTIONAL_FUNCTIONS),
    },
    required: ['assistant_type'],
  };
}

/** Entries of version 2 say `type` and have no numbered slots. */
function toolList(plugins: InstalledPlugins, { fn }: Variant): JsonObject {
  const entry = {
    type: 'object',
    properties: {
      type: text('Name of a tool.'),
      placeholder: { type: 'string' },
      enabled: { type: 'boolean' },
      config: { anyOf: plugins.tools.map(({ name }) => refTo(configName(name))) },
    },
    required: ['type'],
  };
  return {
    type: 'object',
    description: 'Version 2, as LAMB stores it: tools without numbers.',
    properties: {
      _format_version: version(2),
      ...sharedKeys(plugins.connectors),
      tools: list({ anyOf: [entry, fn] }, 'Run before the model and fill placeholders.'),
      functions: list(fn, OPTIONAL_FUNCTIONS),
    },
    required: ['_format_version', 'tools'],
  };
}

function classic(plugins: InstalledPlugins, { fn, named }: Variant): JsonObject {
  const allNames = (processors: readonly ProcessorDefinition[]): string[] =>
    processors.flatMap(({ name, aliases }) => [name, ...aliases]);
  return {
    type: 'object',
    description: 'Version 1, a classic assistant. Its knowledge bases stand beside it, in `RAG_collections`.',
    properties: {
      _format_version: version(1),
      assistant_type: { type: 'string', enum: ['classic'] },
      ...sharedKeys(plugins.connectors),
      prompt_processor: named(allNames(plugins.promptProcessors), 'Builds the messages.'),
      rag_processor: named(allNames(plugins.ragProcessors), 'Fetches the content of `{context}`.'),
      rubric_id: { type: ['string', 'integer', 'null'], description: 'Rubric of `rubric_rag`.' },
      rubric_format: text('Default: markdown.'),
      file_path: { type: ['string', 'null'], description: 'File of `single_file_rag`.' },
      tools: list(fn, 'Functions, in documents of LAMB.'),
      functions: list(fn, OPTIONAL_FUNCTIONS),
    },
  };
}

const MULTI_TOOL_EXAMPLE: JsonObject = {
  _format_version: 3,
  assistant_type: 'multi_tool',
  orchestrator: 'sequential',
  connector: 'auto',
  tools: [
    { plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: ['biology'], top_k: 3 } },
  ],
};
const CLASSIC_EXAMPLE: JsonObject = {
  connector: 'auto',
  prompt_processor: 'simple_augment',
  rag_processor: 'simple_rag',
};

function variant(plugins: InstalledPlugins, given: Variant): Schemas {
  const { prefix } = given;
  const parts: Schemas = {
    [`${prefix}MultiToolMetadata`]: { ...multiTool(plugins, given), examples: [MULTI_TOOL_EXAMPLE] },
    [`${prefix}ToolListMetadata`]: toolList(plugins, given),
    [`${prefix}ClassicMetadata`]: { ...classic(plugins, given), examples: [CLASSIC_EXAMPLE] },
  };
  return parts;
}

/**
 * Schemas of `metadata` by version, made from the declarations of the plugins. Objects are open where unknown keys are
 * kept, and closed where a plugin refuses other settings.
 */
export function metadataSchemas(plugins: InstalledPlugins): Schemas {
  const options = strategiesWithOptions(plugins.strategies).map(({ name, options_schema }) => [
    `${pascal(name)}Options`,
    settings(options_schema),
  ]);
  const requests = variant(plugins, {
    prefix: '',
    tool: refTo('AnyTool'),
    fn: refTo('AnyFunction'),
    named: choice,
  });
  const fn = { anyOf: [refTo('AnyFunction'), refTo('OtherFunction')] };
  const stored = variant(plugins, {
    prefix: 'Stored',
    tool: { anyOf: [refTo('AnyTool'), refTo('OtherTool'), { type: 'string' }] },
    fn,
    named: (_names, description) => text(description),
  });
  return {
    ...toolSchemas(plugins.tools),
    ...functionSchemas(plugins.functions),
    ...(Object.fromEntries(options) as Schemas),
    ...requests,
    [METADATA_SCHEMA]: {
      description: 'How an assistant runs. Unknown keys are kept.',
      anyOf: Object.keys(requests).map(refTo),
    },
    ...stored,
    [STORED_METADATA_SCHEMA]: {
      description: 'How an assistant runs, as it is stored. A value of another type counts as absent.',
      anyOf: Object.keys(stored).map(refTo),
    },
  };
}
