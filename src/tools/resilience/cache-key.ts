import { createHash } from 'node:crypto';
import type { Caller, JsonObject } from '../../kernel';
import type { Invocation, ToolCaching, ToolInput } from '../contract';

/** What tells one result from another. */
export interface KeyedCall {
  /** Canonical name and version of the tool. */
  readonly plugin: string;
  readonly version: string;
  readonly config: JsonObject;
  readonly input: ToolInput;
  readonly invocation: Invocation;
  readonly caching: ToolCaching;
}

/** Configs are the same objects again and again. */
const configTexts = new WeakMap<JsonObject, string>();

function configText(config: JsonObject): string {
  let text = configTexts.get(config);
  if (text === undefined) {
    text = JSON.stringify(config);
    configTexts.set(config, text);
  }
  return text;
}

/**
 * A digest of everything that a result depends on: nothing of a question can be read from it. Parts stand as members of one
 * JSON list, so that no two different lists of parts give one text.
 */
export function cacheKey(call: KeyedCall, contentVersion: string): string {
  const { plugin, version, config, input, invocation, caching } = call;
  const { owner, connector, answer = null } = invocation;
  const parts = [
    plugin,
    version,
    configText(config),
    owner.organizationId,
    owner.userId,
    connector,
    input.query,
    answer,
    contentVersion,
    caching.messages?.(config) === true ? input.messages : null,
    caching.results === true ? earlierResults(invocation) : null,
    caching.personal === true ? person(invocation.caller) : null,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

/** Contents and what stands with them; times and the like differ although the results are equal. */
const earlierResults = ({ results, prompt }: Invocation) => ({
  prompt: prompt(),
  outcomes: [...results()].map(([placeholder, outcome]) => {
    if (outcome.status !== 'completed') return [placeholder, outcome.plugin, outcome.status];
    const { plugin, status, content, sources, citations, confidence } = outcome;
    return [placeholder, plugin, status, content, sources, citations, confidence];
  }),
});

/** Who asks, and whom they ask for: a proxy's key asks for many. */
const person = ({ organizationId, userId, kind, credentialId, endUser, mayNameEndUser }: Caller) => [
  organizationId,
  userId,
  kind,
  credentialId,
  endUser,
  mayNameEndUser,
];
