import {
  AppError,
  type Caller,
  type ChatMessage,
  type JsonObject,
  type Problem,
  invalid,
  isJsonObject,
  notFound,
} from '@bellwether/kernel';
import { Ajv, type ErrorObject } from 'ajv';
import { endUserOfMetadata } from '../auth';
import type { BellwetherRequest } from '../infrastructure/http';

const MAX_ID = 2_147_483_647;

/** The assistant's id in a path or query. @throws `not_found` for a text that cannot be an id */
export function assistantIdIn(text: unknown): number {
  const id = typeof text === 'string' && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (id < 1 || id > MAX_ID) throw notFound('Assistant');
  return id;
}

/** The authenticated caller. Gateways may name the end user in the body's `metadata`. For routes that take the plain request. */
export function callerOf({ caller, body }: BellwetherRequest): Caller {
  if (caller === undefined) throw new AppError('unauthenticated', 'A credential is required');
  if (caller.mayNameEndUser !== 'anywhere' || caller.endUser !== undefined) return caller;
  const endUser = endUserOfMetadata(isJsonObject(body) ? body.metadata : null);
  return endUser === undefined ? caller : { ...caller, endUser };
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/** Clients may allow or forbid functions, but not name one. */
const OWN_CHOICES: readonly unknown[] = [undefined, null, 'auto', 'none'];

/**
 * A client's own tools are passed to the model, unless the assistant has functions: a round with calls of both would have
 * two executors. @throws `validation_failed`
 */
export function assertNoClientTools({ params }: ChatRequest): void {
  const problems: Problem[] = [];
  for (const path of ['tools', 'functions', 'function_call']) {
    if (!isGiven(params[path])) continue;
    problems.push({ path, message: 'must be left out: this assistant has functions of its own' });
  }
  if (!OWN_CHOICES.includes(params['tool_choice']))
    problems.push({ path: 'tool_choice', message: 'must be auto or none: this assistant has functions of its own' });
  const { n = 1 } = params;
  if (n !== null && n !== 1)
    problems.push({ path: 'n', message: 'must be 1: this assistant has functions of its own' });
  if (problems.length > 0) throw invalid(problems);
}

/** Vendors refuse a choice among functions where none are declared. */
export function withoutFunctionChoice(params: JsonObject): JsonObject {
  const { tools: _tools, tool_choice: _choice, parallel_tool_calls: _parallel, ...others } = params;
  return others;
}

const PROGRESS_MODES = ['comment', 'chunk', 'status', 'off'] as const;
export type ProgressMode = (typeof PROGRESS_MODES)[number];

const MAX_MESSAGES = 10_000;

const nullable = (type: string, limits: JsonObject = {}): JsonObject => ({ type: [type, 'null'], ...limits });

const part: JsonObject = {
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string' } },
  allOf: [
    {
      if: { properties: { type: { const: 'text' } }, required: ['type'] },
      then: { required: ['text'], properties: { type: {}, text: { type: 'string' } } },
    },
    {
      if: { properties: { type: { const: 'image_url' } }, required: ['type'] },
      then: {
        required: ['image_url'],
        properties: {
          type: {},
          image_url: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } },
        },
      },
    },
  ],
};

const toolCall: JsonObject = {
  type: 'object',
  required: ['id', 'function'],
  properties: {
    id: { type: 'string' },
    function: {
      type: 'object',
      required: ['name', 'arguments'],
      properties: { name: { type: 'string' }, arguments: { type: 'string' } },
    },
  },
};

const messageSchema: JsonObject = {
  type: 'object',
  required: ['role'],
  properties: {
    role: { enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] },
    content: { type: ['string', 'array', 'null'], items: part },
    name: nullable('string'),
    tool_call_id: nullable('string'),
    tool_calls: nullable('array', { items: toolCall }),
  },
  if: { required: ['role'], properties: { role: { enum: ['system', 'developer', 'user'] } } },
  then: { required: ['content'], properties: { role: {}, content: { not: { type: 'null' } } } },
};

/**
 * The members of OpenAI's chat completion body that this service reads. Unknown members are passed on. The vendor checks
 * the ranges of sampling parameters, which differ between vendors.
 */
const chatRequestSchema: JsonObject = {
  type: 'object',
  required: ['messages'],
  properties: {
    model: { type: 'string', maxLength: 256 },
    messages: { type: 'array', minItems: 1, maxItems: MAX_MESSAGES, items: messageSchema },
    stream: nullable('boolean'),
    stream_options: nullable('object', {
      properties: { include_usage: nullable('boolean'), progress: { enum: [...PROGRESS_MODES, null] } },
    }),
    verbose: nullable('boolean'),
    temperature: nullable('number'),
    top_p: nullable('number'),
    n: nullable('integer', { minimum: 1, maximum: 128 }),
    max_tokens: nullable('integer', { minimum: 1 }),
    max_completion_tokens: nullable('integer', { minimum: 1 }),
    presence_penalty: nullable('number'),
    frequency_penalty: nullable('number'),
    seed: nullable('integer'),
    user: nullable('string'),
    metadata: nullable('object'),
    tools: nullable('array', { items: { type: 'object' } }),
    response_format: nullable('object'),
  },
};

const example = { model: 'lamb_assistant.1', messages: [{ role: 'user', content: 'What is osmosis?' }] };

/** Schema of OpenAPI for the bodies of questions. */
export const CHAT_BODY: Readonly<Record<string, JsonObject>> = {
  ChatBody: { ...chatRequestSchema, additionalProperties: true },
};
const chatBody = { allOf: [{ $ref: '#/components/schemas/ChatBody' }] };

/** `model` is required when the path names no assistant. */
export const chatBodySchema = (withModel: boolean): Record<string, unknown> => ({
  ...chatBody,
  ...(withModel ? { required: ['model'] } : {}),
  example: withModel ? example : { messages: example.messages },
});

/** Body of a run of a definition that is not saved. */
export const draftBodySchema = (definition: Record<string, unknown>): Record<string, unknown> => ({
  ...chatBody,
  type: 'object',
  required: ['definition'],
  properties: {
    definition,
    assistant_id: {
      type: ['integer', 'null'],
      minimum: 1,
      description: 'The assistant that the definition is a draft of. The caller must be allowed to edit it.',
    },
  },
  example: {
    definition: { prompt_template: 'Question: {user_input}', metadata: { connector: 'auto' } },
    messages: example.messages,
  },
});

/** A checked completion body, split into what this service reads and what the vendor gets. */
export interface ChatRequest {
  readonly model: string | null;
  readonly messages: readonly ChatMessage[];
  readonly stream: boolean;
  readonly verbose: boolean;
  readonly progress: ProgressMode;
  readonly includeUsage: boolean;
  /** Members of the body that are passed on to the vendor. */
  readonly params: JsonObject;
}

interface Body {
  readonly model?: string;
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean | null;
  readonly verbose?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean | null; readonly progress?: ProgressMode | null } | null;
  readonly [member: string]: unknown;
}

/** Further problems of a body are not reported. */
const MAX_PROBLEMS = 100;

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strict: false });
const properties = chatRequestSchema['properties'] as JsonObject;
const { items: _items, ...messageList } = properties['messages'] as JsonObject;
/** Messages are checked one by one: Ajv collects the errors of a whole body before it returns. */
const validateFrame = ajv.compile<Body>({
  ...chatRequestSchema,
  properties: { ...properties, messages: messageList },
});
const validateMessage = ajv.compile<ChatMessage>(messageSchema);

/** `/messages/0/role` → `messages[0].role`. */
function pathOf({ instancePath, keyword, params }: ErrorObject, parent: string): string {
  const missing = keyword === 'required' ? `/${(params as { missingProperty: string }).missingProperty}` : '';
  return `${parent}${instancePath}${missing}`
    .split('/')
    .slice(1)
    .reduce((path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`), '');
}

const namesOf = (values: readonly unknown[]): string =>
  values
    .filter((value) => value !== null)
    .map(String)
    .join(', ');

function messageOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'enum') return `must be one of ${namesOf((params as { allowedValues: unknown[] }).allowedValues)}`;
  if (keyword === 'type') return `must be ${[(params as { type: string | string[] }).type].flat().join(' or ')}`;
  if (keyword === 'not') return 'must not be null';
  if (keyword === 'minItems') return 'must not be empty';
  return message ?? 'is not valid';
}

function problemsOf(errors: readonly ErrorObject[], parent = ''): Problem[] {
  return errors
    .filter(({ keyword }) => keyword !== 'if')
    .slice(0, MAX_PROBLEMS)
    .map((error) => ({ path: pathOf(error, parent), message: messageOf(error) }));
}

function problemsOfMessages(body: unknown): Problem[] {
  const messages = isJsonObject(body) ? body['messages'] : undefined;
  const problems: Problem[] = [];
  if (!Array.isArray(messages) || messages.length > MAX_MESSAGES) return problems;
  for (const [index, message] of messages.entries()) {
    if (validateMessage(message)) continue;
    problems.push(...problemsOf(validateMessage.errors ?? [], `/messages/${index}`));
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return problems.slice(0, MAX_PROBLEMS);
}

/** @throws `validation_failed` */
function assertValid(body: unknown, found: readonly Problem[]): asserts body is Body {
  const isFrameValid = validateFrame(body);
  const frame = isFrameValid ? [] : problemsOf(validateFrame.errors ?? []);
  const problems = [...found, ...frame, ...problemsOfMessages(body)].slice(0, MAX_PROBLEMS);
  if (problems.length > 0 || !isFrameValid) throw invalid(problems);
}

/** Members that the vendor does not get. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'stream_options', 'verbose']);

function paramsOf(body: Body): JsonObject {
  const params: Record<string, unknown> = {};
  for (const name of Object.keys(body)) if (!OWN_MEMBERS.has(name)) params[name] = body[name];
  const { progress: _progress, ...streamOptions } = body.stream_options ?? {};
  if (body.stream === true && Object.keys(streamOptions).length > 0) params['stream_options'] = streamOptions;
  return params;
}

const MODEL_REQUIRED: Problem = { path: 'model', message: 'is required' };

/** @throws `validation_failed` with every problem and its path. */
export function readChatRequest(body: unknown): ChatRequest {
  return read(body, []);
}

/** Reads a request of the API where the model names the assistant. */
export function readChatRequestWithModel(body: unknown): ChatRequest & { readonly model: string } {
  const { model, ...request } = read(body, isJsonObject(body) && body.model === undefined ? [MODEL_REQUIRED] : []);
  // A missing model was refused above.
  return { ...request, model: model ?? '' };
}

function read(body: unknown, found: readonly Problem[]): ChatRequest {
  assertValid(body, found);
  return {
    model: body.model ?? null,
    messages: body.messages,
    stream: body.stream === true,
    verbose: body.verbose === true,
    progress: body.stream_options?.progress ?? 'comment',
    includeUsage: body.stream_options?.include_usage === true,
    params: paramsOf(body),
  };
}
