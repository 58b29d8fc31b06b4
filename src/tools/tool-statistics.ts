import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { JobQueue } from '../infrastructure/jobs';
import { BufferedCounters } from '../infrastructure/telemetry';
import {
  type CountedCall,
  type ToolCounts,
  type ToolDay,
  type ToolStats,
  ToolStatsRepository,
} from './tool-stats.repository';

/** Four buckets to a doubling: a percentile read from them is at most 19 % above the true one. */
const PER_DOUBLING = 4;
/** The last one holds everything from about four hours on. */
const MAX_BUCKETS = 96;

/** Counts of durations; bucket 0 is below one millisecond. Two of them merge by adding bucket by bucket. */
type Buckets = readonly number[];

export function bucketOf(ms: number): number {
  if (!(ms >= 1)) return 0;
  return Math.min(MAX_BUCKETS - 1, 1 + Math.floor(Math.log2(ms) * PER_DOUBLING));
}

/** Milliseconds below which everything in the bucket lies. */
const upperEdge = (bucket: number): number => 2 ** (bucket / PER_DOUBLING);

export function mergeBuckets(left: Buckets, right: Buckets): number[] {
  const [longer, shorter] = left.length >= right.length ? [left, right] : [right, left];
  return longer.map((count, bucket) => count + (shorter[bucket] ?? 0));
}

/** The upper edge of the bucket that holds the `share` of all durations, in milliseconds; null when there are none. */
export function percentile(buckets: Buckets, share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.ceil(total * share);
  for (const [bucket, count] of buckets.entries()) {
    left -= count;
    if (left <= 0) return Math.round(upperEdge(bucket) * 100) / 100;
  }
  return upperEdge(buckets.length - 1);
}

const noCounts = (): ToolCounts => ({
  calls: 0,
  failures: 0,
  retries: 0,
  cacheHits: 0,
  fallbacks: 0,
  durationSum: 0,
  durations: [],
  confidenceSum: 0,
  confidences: 0,
});

function countCall(counts: ToolCounts, call: CountedCall): void {
  if (call.cached) {
    counts.cacheHits += 1;
    return;
  }
  counts.calls += 1;
  counts.retries += call.retries;
  if (call.failed) counts.failures += 1;
  if (call.fellBack) counts.fallbacks += 1;
  if (call.durationMs !== null) {
    const bucket = bucketOf(call.durationMs);
    while (counts.durations.length <= bucket) counts.durations.push(0);
    counts.durations[bucket] = (counts.durations[bucket] ?? 0) + 1;
    counts.durationSum += call.durationMs;
  }
  if (call.confidence !== null) {
    counts.confidenceSum += call.confidence;
    counts.confidences += 1;
  }
}

const mergeCounts = (left: ToolCounts, right: ToolCounts): ToolCounts => ({
  calls: left.calls + right.calls,
  failures: left.failures + right.failures,
  retries: left.retries + right.retries,
  cacheHits: left.cacheHits + right.cacheHits,
  fallbacks: left.fallbacks + right.fallbacks,
  durationSum: left.durationSum + right.durationSum,
  durations: mergeBuckets(left.durations, right.durations),
  confidenceSum: left.confidenceSum + right.confidenceSum,
  confidences: left.confidences + right.confidences,
});

/** null as long as nothing ran. */
function statsOf(counts: ToolCounts): ToolStats | null {
  if (counts.calls === 0) return null;
  const timed = counts.durations.reduce((sum, count) => sum + count, 0);
  return {
    calls: counts.calls,
    failure_rate: counts.failures / counts.calls,
    avg_ms: timed === 0 ? null : Math.round((counts.durationSum / timed) * 100) / 100,
    p95_ms: percentile(counts.durations, 0.95),
    confidence: counts.confidences === 0 ? null : counts.confidenceSum / counts.confidences,
  };
}

/** Days that the figures are made of. */
const WINDOW_DAYS = 30;
const KEPT_DAYS = 400;
const MAX_ORGANIZATIONS = 1_000;
const DAY_MS = 24 * 60 * 60_000;
/** Figures are computed anew once the calls grew by a fiftieth: summing buckets at every call would cost too much. */
const LAG = 50;

/** A function may have the name of a tool; they are counted apart. */
export const statisticsName = ({ name, kind }: { readonly name: string; readonly kind: ToolKind }): string =>
  kind === 'function' ? `function:${name}` : name;

type ToolKind = 'pipeline' | 'function';

interface HeldTool {
  counts: ToolCounts;
  stats: ToolStats | null;
  /** Calls that `stats` stands for. */
  readAtCalls: number;
}

type HeldTools = Map<string, HeldTool>;

/** Counts calls of tools and functions per organization. */
@Injectable()
export class ToolStatistics implements BeforeApplicationShutdown {
  private readonly counters: BufferedCounters<string, ToolDay, HeldTools>;

  constructor(repository: ToolStatsRepository, jobs: JobQueue) {
    this.counters = new BufferedCounters({
      name: 'ToolStatistics',
      maxGroups: MAX_ORGANIZATIONS,
      keyOf: (organizationId) => organizationId,
      add: (id, days) => repository.add(id, days),
      read: (organizationId) => repository.read(organizationId, WINDOW_DAYS),
      viewOf: (days) => {
        const tools: HeldTools = new Map();
        for (const { plugin, counts } of days) {
          const tool = toolIn(tools, plugin);
          tool.counts = mergeCounts(tool.counts, counts);
        }
        return tools;
      },
    });
    jobs.sweep(DAY_MS, () => repository.forget(KEPT_DAYS));
  }

  /**
   * Figures of the last 30 days, from memory. null when nothing was counted, and until the organization's counts have been
   * read for the first time, which the first call begins; `load` waits for that.
   */
  of(organizationId: string, plugin: string): ToolStats | null {
    const tool = this.counters.view(organizationId)?.get(plugin);
    if (tool === undefined) return null;
    const { calls } = tool.counts;
    if (calls - tool.readAtCalls > tool.readAtCalls / LAG) {
      tool.stats = statsOf(tool.counts);
      tool.readAtCalls = calls;
    }
    return tool.stats;
  }

  /** Resolves when `of` knows the organization's counts; never rejects. */
  load(organizationId: string): Promise<void> {
    return this.counters.load(organizationId);
  }

  record(organizationId: string, plugin: string, call: CountedCall): void {
    const day = today();
    const pending = this.counters.row(organizationId, `${day} ${plugin}`, () => ({
      organizationId,
      plugin,
      day,
      counts: noCounts(),
    }));
    countCall(pending.counts, call);
    const tools = this.counters.current(organizationId);
    if (tools !== null) countCall(toolIn(tools, plugin).counts, call);
  }

  /** Writes what is pending; never rejects. */
  flush(): Promise<void> {
    return this.counters.flush();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.counters.close();
  }
}

function toolIn(tools: HeldTools, plugin: string): HeldTool {
  let tool = tools.get(plugin);
  if (tool === undefined) tools.set(plugin, (tool = { counts: noCounts(), stats: null, readAtCalls: 0 }));
  return tool;
}

let dayNumber = -1;
let dayText = '';

/** UTC day; the text is made once a day because every call asks for it. */
function today(): string {
  const number = Math.floor(Date.now() / DAY_MS);
  if (number !== dayNumber) {
    dayNumber = number;
    dayText = new Date(number * DAY_MS).toISOString().slice(0, 10);
  }
  return dayText;
}
