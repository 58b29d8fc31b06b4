import { Ajv, type ErrorObject } from 'ajv';
import { type ChatMessage, type JsonObject, type Problem, invalid, isJsonObject } from '../../kernel';
import { chatRequestSchema, MAX_MESSAGES, messageSchema, type ProgressMode } from './chat-request.schema';

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

/** For the door where the model names the assistant. */
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
