import {
  AppError,
  type Awaitable,
  type ChatMessage,
  type JsonObject,
  type Usage,
  addUsage,
  isJsonObject,
  withSpent,
  atMost,
  atMostFor,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import { type OrganizationRuntime, OrganizationsService } from '../organizations';
import { AUTO, ConnectorsService, type ResolvedModel } from './connectors.service';
import type { ConnectorDefinition, ModelAnswer } from './contract';
import { splitThoughts } from './vendor';

const CANDIDATES = 20;

/**
 * The first JSON object in a model's answer, which may hold code fences, thoughts and text around it. Undefined without
 * one. Reads every character a bounded number of times.
 */
export function jsonInAnswer(answer: string): unknown {
  // Thoughts may hold drafts of the answer.
  const said = splitThoughts(answer).text;
  const whole = parsed(said.trim());
  if (whole !== undefined) return whole;
  let from = 0;
  for (let tries = 0; tries < CANDIDATES; tries++) {
    const start = said.indexOf('{', from);
    if (start === -1) return undefined;
    const end = endOfObject(said, start);
    if (end === -1) {
      from = start + 1;
      continue;
    }
    const value = parsed(said.slice(start, end));
    if (value !== undefined) return value;
    from = start + 1;
  }
  return undefined;
}

/** Objects only: everything that is asked for is one. */
function parsed(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Offset after the brace that closes the object at `start`; -1 when none does. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (quoted) {
      if (sign === BACKSLASH) at++;
      else if (sign === QUOTE) quoted = false;
    } else if (sign === QUOTE) quoted = true;
    else if (sign === OPEN) depth++;
    else if (sign === CLOSE && --depth === 0) return at + 1;
  }
  return -1;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [34, 92, 123, 125];

const MAX_COMPILED = 200;
const MAX_PROBLEMS = 8;
const PATH_CHARS = 100;

const AJV = new Ajv({ allErrors: true, strict: false, allowUnionTypes: true, logger: false });

/** Checks answers against schemas of our own code, compiled when they are first seen. */
class AnswerSchemas {
  private readonly compiled = new LRUCache<string, ValidateFunction>(atMost(MAX_COMPILED));

  /** The problems, in words for the model; empty when the value fits. */
  problems(schema: JsonObject, value: unknown): readonly string[] {
    if (value === undefined) return ['it holds no JSON object'];
    const validate = this.checkerOf(schema);
    return validate(value) ? [] : (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(describe);
  }

  private checkerOf(schema: JsonObject): ValidateFunction {
    const text = JSON.stringify(schema);
    const known = this.compiled.get(text);
    if (known !== undefined) return known;
    const own = JSON.parse(text) as JsonObject;
    const validate = AJV.compile(own);
    // Ajv would keep every schema for ever.
    AJV.removeSchema(own);
    this.compiled.set(text, validate);
    return validate;
  }
}

const describe = ({ instancePath, message }: ErrorObject): string =>
  `${instancePath === '' ? 'the object' : instancePath.slice(0, PATH_CHARS)} ${message ?? 'is not valid'}`;

/**
 * Whether OpenAI's strict mode takes the schema (Structured Outputs guide, "Supported schemas"): every object closed, every
 * property required.
 */
function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (!isJsonObject(schema)) return true;
  const { properties, required } = schema;
  if (isJsonObject(properties)) {
    if (schema['additionalProperties'] !== false || !Array.isArray(required)) return false;
    if (!Object.keys(properties).every((name) => required.includes(name))) return false;
    if (!Object.values(properties).every(isStrictSchema)) return false;
  } else if (schema['type'] === 'object') return false;
  return ['items', 'anyOf', '$defs'].every((name) => isStrictSchema(schema[name]));
}

export interface StructuredQuestion {
  readonly organizationId: string;
  /** Name or alias of a connector, or `auto`. One that cannot write text (`bypass`, image models) stands for `auto`. */
  readonly connector: string;
  /** Absent, null or empty: the `fast_model` of the connector's provider, else the connector's default. */
  readonly model?: string | null;
  readonly messages: readonly ChatMessage[];
  /** JSON Schema of type `object`. Closed objects with every property required let OpenAI hold the model to it. */
  readonly schema: JsonObject;
  /** Name of the schema for the vendor: letters, digits, `_` and `-`. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Time for everything, the second try included. Milliseconds. */
  readonly timeoutMs: number;
  readonly runId: string;
  readonly temperature?: number;
  readonly maxTokens?: number;
}

export interface StructuredAnswer<T> {
  readonly value: T;
  /** Tokens of all tries; null when the vendor counts none. */
  readonly usage: Usage | null;
  readonly model: string;
  /** Warns that another model answered, because the organization does not offer the requested one. */
  readonly warnings: readonly string[];
}

/** No answer of the model matched the schema. Its tokens are spent nevertheless. */
export class UnfitAnswer extends AppError {
  constructor(usage: Usage | null) {
    super('upstream_bad_response', 'The model gave no answer of the form that was asked for', { usage });
  }
}

const TRIES = 2;
const ECHO_CHARS = 4_000;
const REFUSALS = 500;
const REFUSAL_MS = 600_000;

/** Asks a model for one JSON object of a known shape. Neither questions nor answers are ever logged. */
@Injectable()
export class StructuredAnswers {
  private readonly schemas = new AnswerSchemas();
  /** Options that a model accepted after refusing others, by organization: saves a second call for each question. */
  private readonly forms = new LRUCache<string, number>(atMostFor(REFUSALS, REFUSAL_MS));

  constructor(
    private readonly organizations: OrganizationsService,
    private readonly connectors: ConnectorsService,
  ) {}

  /**
   * Returns an object that fits the schema. Uses `response_format` where the vendor knows it, else finds the object in the
   * answer's text. A model whose answer does not fit gets a second try with the problems.
   * @throws AppError `connector_not_configured`, `upstream_*`: `UnfitAnswer` for a model that never fits,
   * `upstream_timeout` after `timeoutMs`; `cancelled` when the signal fired.
   */
  async ask<T>(question: StructuredQuestion): Promise<StructuredAnswer<T>> {
    const over = AbortSignal.timeout(question.timeoutMs);
    const signal = AbortSignal.any([question.signal, over]);
    try {
      const resolved = await this.modelFor(question);
      return await this.converse<T>({ ...question, signal }, resolved);
    } catch (error) {
      if (over.aborted && !question.signal.aborted) {
        const usage = error instanceof AppError ? error.usage : null;
        throw new AppError('upstream_timeout', 'The model did not answer in time', { cause: error, usage });
      }
      throw error;
    }
  }

  /** `host:port` of the vendor that would answer; null when there is none. */
  async hostFor(question: Pick<StructuredQuestion, 'organizationId' | 'connector' | 'model'>): Promise<string | null> {
    try {
      return new URL((await this.modelFor(question)).target.baseUrl).host;
    } catch {
      return null;
    }
  }

  private async converse<T>(question: StructuredQuestion, resolved: ResolvedModel): Promise<StructuredAnswer<T>> {
    let messages: readonly ChatMessage[] = withInstruction(question);
    let usage: Usage | null = null;
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const answer: ModelAnswer = await this.complete(question, resolved, messages).catch((error: unknown) => {
        throw withSpent(error, usage);
      });
      usage = addUsage(usage, answer.usage);
      const value = jsonInAnswer(answer.text);
      const problems = this.schemas.problems(question.schema, value);
      if (problems.length === 0) {
        const warnings = resolved.warnings.map(({ message }) => message);
        return { value: value as T, usage, model: resolved.model, warnings };
      }
      messages = [...messages, ...correction(answer.text, problems)];
    }
    throw new UnfitAnswer(usage);
  }

  private async complete(
    question: StructuredQuestion,
    { connector, target, model }: ResolvedModel,
    messages: readonly ChatMessage[],
  ): Promise<ModelAnswer> {
    const { signal, runId } = question;
    const send = (params: JsonObject): Awaitable<ModelAnswer> =>
      connector.complete({ model, messages, params }, target, { signal, runId, emit: () => undefined });
    const forms = formsOf(question);
    const key = `${question.organizationId} ${connector.definition.name} ${target.baseUrl} ${model}`;
    const known = this.forms.get(key) ?? 0;
    for (let form = Math.min(known, forms.length - 1); ; form += 1) {
      try {
        const answer = await send(forms[form] ?? {});
        if (form > known) this.forms.set(key, form);
        return answer;
      } catch (error) {
        const refused = error instanceof AppError && error.code === 'upstream_rejected';
        if (!refused || form + 1 >= forms.length) throw error;
      }
    }
  }

  private async modelFor({
    organizationId,
    connector,
    model,
  }: Pick<StructuredQuestion, 'organizationId' | 'connector' | 'model'>): Promise<ResolvedModel> {
    const resolve = (name: string, llm: string | null): Awaitable<ResolvedModel> =>
      this.connectors.resolve(organizationId, { connector: name, llm });
    const organization = await this.organizations.runtime(organizationId);
    const definition = this.connectors.find(connector);
    const writer = definition === undefined ? null : this.writerFor(definition);
    if (model !== undefined && model !== null && model !== '') return resolve(writer?.name ?? AUTO, model);
    // A provider may have a fast model and no default.
    if (writer !== null) return resolve(writer.name, fastModelOf(organization, writer.vendor?.name ?? null));
    const resolved = await resolve(AUTO, null);
    if (resolved.provider === null) return this.anyFastModel(organization);
    const fastOfAuto = fastModelOf(organization, resolved.provider);
    return fastOfAuto === null ? resolved : resolve(resolved.connector.definition.name, fastOfAuto);
  }

  /** Replaces connectors that write no JSON (image models, no vendor) by another one of the vendor; null: any. */
  private writerFor(definition: ConnectorDefinition): ConnectorDefinition | null {
    if (definition.vendor === null) return null;
    if (writes(definition)) return definition;
    const sameVendor = ({ vendor }: ConnectorDefinition): boolean => vendor?.name === definition.vendor?.name;
    return this.connectors.definitions().find((each) => sameVendor(each) && writes(each)) ?? null;
  }

  /** `auto` chose a connector without a vendor: no default model can answer, but a fast model may. */
  private anyFastModel(organization: OrganizationRuntime): Awaitable<ResolvedModel> {
    for (const definition of this.connectors.definitions()) {
      const fast = writes(definition) ? fastModelOf(organization, definition.vendor?.name ?? null) : null;
      if (fast !== null) return this.connectors.resolve(organization.id, { connector: definition.name, llm: fast });
    }
    throw new AppError('connector_not_configured', 'The organization has no model that could be asked');
  }
}

/** True for connectors that write text. Image connectors have no functions. */
const writes = ({ vendor, capabilities }: ConnectorDefinition): boolean =>
  vendor !== null && (capabilities.functions || !capabilities.image_generation);

function fastModelOf({ providers }: OrganizationRuntime, provider: string | null): string | null {
  const fast = provider === null ? null : (providers.get(provider)?.fastModel ?? null);
  return fast === '' ? null : fast;
}

/**
 * Sets of parameters to try in turn, largest first. Some models refuse `temperature`, some servers `response_format`, and
 * some models know the token limit by its newer name only. A token limit that is given is in every set.
 */
function formsOf({ schema, name, temperature = 0, maxTokens }: StructuredQuestion): readonly JsonObject[] {
  const format = { type: 'json_schema', json_schema: { name, schema, strict: isStrictSchema(schema) } };
  const bounds: JsonObject[] =
    maxTokens === undefined ? [{}] : [{ max_tokens: maxTokens }, { max_completion_tokens: maxTokens }];
  return [{ temperature, ...bounds[0], response_format: format }, ...bounds];
}

/** The schema is in the prompt too: not every vendor knows `response_format`. */
function withInstruction({ messages, schema }: StructuredQuestion): ChatMessage[] {
  const form = `Reply with one JSON object and nothing else. It must fit this JSON Schema: ${JSON.stringify(schema)}`;
  const [first, ...rest] = messages;
  return first?.role === 'system' && typeof first.content === 'string'
    ? [{ ...first, content: `${first.content}\n\n${form}` }, ...rest]
    : [{ role: 'system', content: form }, ...messages];
}

const correction = (answer: string, problems: readonly string[]): ChatMessage[] => [
  { role: 'assistant', content: answer.slice(0, ECHO_CHARS).toWellFormed() },
  { role: 'user', content: `That cannot be used: ${problems.join('; ')}. Reply with the JSON object alone.` },
];
