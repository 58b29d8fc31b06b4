import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ToolRef } from '../../kernel';
import type { Config } from '../../platform/config';
import { CallContext } from '../calls/call-context';
import type { ToolInput } from '../contract';
import { type CheckedOutput, readOutput } from '../calls/read-output';
import { cacheKey, type KeyedCall } from './cache-key';
import { type Declared, WatchedContext, WatchedInput } from './watched-context';

/** Bytes of an entry beside its texts, about. */
const OVERHEAD = 500;
/** No result takes more than this share of the room. */
const LARGEST_SHARE = 8;

/** A call whose result may be kept: it is answered from here, or watched while it runs. */
export class KeepableCall {
  private readonly undeclared = new Set<string>();
  private readonly declared: Declared;

  constructor(
    readonly keyed: KeyedCall,
    readonly key: string,
  ) {
    const { caching, config } = keyed;
    const renewed = caching.renew !== undefined;
    this.declared = {
      messages: caching.messages?.(config) === true,
      results: caching.results === true,
      caller: renewed || caching.personal === true,
      assistantId: renewed,
    };
  }

  /** What the tool looked at although its `caching` does not name it. */
  get looks(): ReadonlySet<string> {
    return this.undeclared;
  }

  context(ref: ToolRef, controller: AbortController, endsAt: number): CallContext {
    const { invocation } = this.keyed;
    return new WatchedContext(ref, invocation, { controller, endsAt }, this.declared, this.note);
  }

  input(): ToolInput {
    return new WatchedInput(this.keyed.input, this.declared, this.note);
  }

  private readonly note = (member: string): void => void this.undeclared.add(member);
}

/**
 * Results of calls, for a while and within a number of bytes. A result is found again only by an equal call of the same
 * owner in the same organization, while what it was made from is as it was.
 */
export class KeptResults {
  private readonly logger = new Logger('ToolResults');
  private readonly results: LRUCache<string, CheckedOutput>;
  private readonly told = new Set<string>();

  constructor({ cacheBytes, cacheTtlMs }: Pick<Config['tools'], 'cacheBytes' | 'cacheTtlMs'>) {
    this.results = new LRUCache({
      maxSize: cacheBytes,
      maxEntrySize: Math.ceil(cacheBytes / LARGEST_SHARE),
      ttl: cacheTtlMs,
      sizeCalculation: sizeOf,
    });
  }

  /** null where nothing is to be kept, also when the content's version cannot be told: then the tool says why itself. */
  async open(call: KeyedCall, signal: AbortSignal): Promise<KeepableCall | null> {
    const { caching, config, invocation } = call;
    try {
      const version =
        caching.contentVersion === undefined
          ? ''
          : await caching.contentVersion(config, { owner: invocation.owner, signal });
      return version === null ? null : new KeepableCall(call, cacheKey(call, version));
    } catch {
      return null;
    }
  }

  /** The kept result, made this caller's own; undefined when there is none. */
  find({ keyed, key }: KeepableCall, ref: ToolRef, limit: number): CheckedOutput | undefined {
    const kept = this.results.get(key);
    const { caching } = keyed;
    if (kept === undefined || caching.renew === undefined) return kept;
    const context = new CallContext(ref, keyed.invocation, { controller: new AbortController(), endsAt: 0 });
    try {
      return { ...kept, ...readOutput(caching.renew(kept, context), limit) };
    } catch {
      return undefined;
    } finally {
      context.close();
    }
  }

  /** Degraded and cut results are not kept, nor those that depend on more than was declared. */
  keep(call: KeepableCall, output: CheckedOutput): void {
    if (call.looks.size > 0) this.tell(call.keyed.plugin, call.looks);
    else if (output.warnings.length === 0 && !output.truncated) this.results.set(call.key, { ...output, usage: null });
  }

  private tell(plugin: string, looks: ReadonlySet<string>): void {
    if (this.told.has(plugin)) return;
    this.told.add(plugin);
    this.logger.warn(`results of ${plugin} are not kept: it looks at ${[...looks].join(', ')} undeclared`);
  }
}

/** Bytes, about: texts take one or two for each unit. */
function sizeOf({ content, sources, citations, query }: CheckedOutput): number {
  const texts = content.length + (query?.length ?? 0) + JSON.stringify(sources).length;
  return 2 * texts + 32 * citations.length + OVERHEAD;
}
