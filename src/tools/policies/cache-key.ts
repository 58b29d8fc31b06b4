import { createHash } from 'node:crypto';
import type { Caller } from '../../kernel';
import type { CallRequest, CallSurroundings } from '../calls/call.types';
import type { ToolCaching } from '../contract';

/**
 * A digest of everything that a result depends on, so that the cache holds no questions. A JSON list keeps the parts
 * separate: different parts never give the same text.
 */
export function cacheKey(
  { prepared, input, invocation }: CallRequest,
  caching: ToolCaching,
  contentVersion: string,
): string {
  const { plugin, version, config, configKey } = prepared;
  const { owner, connector, answer = null } = invocation;
  const parts = [
    plugin,
    version,
    configKey,
    owner.organizationId,
    owner.userId,
    connector,
    caching.forEveryQuestion === true ? null : input.query,
    answer,
    contentVersion,
    caching.messages?.(config) === true ? input.messages : null,
    caching.results === true ? earlierResults(invocation) : null,
    caching.personal === true ? person(invocation.caller) : null,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

/** Without times and the like, which differ between equal results. */
const earlierResults = ({ results, prompt }: CallSurroundings) => ({
  prompt: prompt(),
  outcomes: [...results()].map(([placeholder, outcome]) => {
    if (outcome.status !== 'completed') return [placeholder, outcome.plugin, outcome.status];
    const { plugin, status, content, sources, citations, confidence, evidence } = outcome;
    return [placeholder, plugin, status, content, sources, citations, confidence, evidence];
  }),
});

/** The caller and the person they ask for: a proxy's key asks for many people. */
const person = ({ organizationId, userId, kind, credentialId, endUser, mayNameEndUser }: Caller) => [
  organizationId,
  userId,
  kind,
  credentialId,
  endUser,
  mayNameEndUser,
];
