import { createHash } from 'node:crypto';
import type { Caller } from '../../kernel';
import type { Invocation, PreparedCall, ToolCaching, ToolInput } from '../contract';

/** What tells one result from another. */
export interface KeyedCall extends Pick<PreparedCall, 'plugin' | 'config' | 'configKey'> {
  readonly version: string;
  readonly input: ToolInput;
  readonly invocation: Invocation;
  readonly caching: ToolCaching;
}

/**
 * A digest of everything that a result depends on: nothing of a question can be read from it. Parts stand as members of one
 * JSON list, so that no two different lists of parts give one text.
 */
export function cacheKey(call: KeyedCall, contentVersion: string): string {
  const { plugin, version, config, configKey, input, invocation, caching } = call;
  const { owner, connector, answer = null } = invocation;
  const parts = [
    plugin,
    version,
    configKey,
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
    const { plugin, status, content, sources, citations, confidence, evidence } = outcome;
    return [placeholder, plugin, status, content, sources, citations, confidence, evidence];
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
