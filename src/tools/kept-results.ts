import type { Caller } from '@bellwether/kernel';
import { hash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Config } from '../infrastructure/config';
import { type Call, CallContext, type CallRequest, type CallSurroundings, ReadTracker } from './call';
import type { ToolCaching } from './contract';
import { type CheckedOutput, readOutput } from './read-output';
import type { ToolMetrics } from './tool.metrics';
import type { Next, Policy } from './policy.types';

/**
 * A digest of everything that a result depends on, so that the cache holds no questions. A JSON list keeps the parts
 * separate: different parts never give the same text.
 */
function cacheKey({ prepared, input, invocation }: CallRequest, caching: ToolCaching, contentVersion: string): string {
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
  return hash('sha256', JSON.stringify(parts), 'base64');
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

/** Approximate bytes of an entry beside its texts. */
const OVERHEAD = 500;
/** One result takes at most this share of all bytes. */
const LARGEST_SHARE = 8;

type KeptConfig = Pick<Config['tools'], 'cacheEnabled' | 'cacheBytes' | 'cacheTtlMs'>;

/**
 * Answers an equal call of the same owner from memory, while the content that the result was made from is unchanged. Results
 * are kept for a time and within a number of bytes.
 */
export function keptResults(config: KeptConfig, metrics: ToolMetrics): Policy {
  if (!config.cacheEnabled || !(config.cacheTtlMs > 0)) return (next) => next;
  const results = new KeptResults(config, metrics);
  return (next) =>
    function keptResults(call) {
      const { entry, prepared } = call.request;
      const { caching } = call.tool;
      if (!entry.cache || caching === undefined || prepared.version === undefined) return next(call);
      return results.answer(call, caching, next);
    };
}

class KeptResults {
  private readonly logger = new Logger('ToolResults');
  private readonly results: LRUCache<string, CheckedOutput>;
  private readonly reported = new Set<string>();

  constructor(
    { cacheBytes, cacheTtlMs }: KeptConfig,
    private readonly metrics: ToolMetrics,
  ) {
    this.results = new LRUCache({
      maxSize: cacheBytes,
      maxEntrySize: Math.ceil(cacheBytes / LARGEST_SHARE),
      ttl: cacheTtlMs,
      sizeCalculation: sizeOf,
    });
  }

  async answer(call: Call, caching: ToolCaching, next: Next): Promise<CheckedOutput> {
    const key = await call.deadline.race(this.keyOf(call, caching));
    if (key === null) return next(call);
    const kept = this.find(key, call, caching);
    if (kept !== undefined) {
      call.cached = true;
      this.metrics.cached(call.plugin, 'hit');
      return kept;
    }
    this.metrics.cached(call.plugin, 'miss');
    call.watch = new ReadTracker(caching, call.request.prepared.config);
    const output = await next(call);
    this.keep(key, call, caching, output);
    return output;
  }

  /** null where nothing is kept, also when reading the content's version fails: the tool reports the reason itself. */
  private async keyOf({ request, deadline }: Call, caching: ToolCaching): Promise<string | null> {
    const { prepared, invocation } = request;
    try {
      if (caching.contentVersion === undefined) return cacheKey(request, caching, '');
      const { signal } = deadline.nextController();
      const version = await caching.contentVersion(prepared.config, { owner: invocation.owner, signal });
      return version === null ? null : cacheKey(request, caching, version);
    } catch {
      return null;
    }
  }

  /** The kept result, renewed for this caller; undefined without one. */
  private find(key: string, { request, outputLimit }: Call, caching: ToolCaching): CheckedOutput | undefined {
    const kept = this.results.get(key);
    if (kept === undefined || caching.renew === undefined) return kept;
    const context = new CallContext(request, new AbortController(), 0);
    try {
      return { ...kept, ...readOutput(caching.renew(kept, context), outputLimit) };
    } catch {
      return undefined;
    } finally {
      context.close();
    }
  }

  /** Skips degraded and cut results, and those that depend on undeclared inputs. */
  private keep(key: string, { plugin, watch }: Call, { forEveryQuestion }: ToolCaching, output: CheckedOutput): void {
    const undeclared = watch?.undeclared ?? new Set();
    const isWhole = forEveryQuestion === true || (output.warnings.length === 0 && !output.truncated);
    if (undeclared.size > 0) this.report(plugin, undeclared);
    else if (isWhole) this.results.set(key, { ...output, usage: null });
  }

  private report(plugin: string, undeclared: ReadonlySet<string>): void {
    if (this.reported.has(plugin)) return;
    this.reported.add(plugin);
    this.logger.warn(
      `results of ${plugin} are not kept: its caching does not declare that it reads ${[...undeclared].join(', ')}`,
    );
  }
}

/** Approximate bytes: a text takes one or two for each UTF-16 unit. */
function sizeOf({ content, sources, citations, passages, query }: CheckedOutput): number {
  const found = passages.reduce((sum, { text }) => sum + text.length, 0);
  const texts = content.length + found + (query?.length ?? 0) + JSON.stringify(sources).length;
  return 2 * texts + 32 * citations.length + OVERHEAD;
}
