import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { JobQueue } from '../../platform/jobs';
import { countCall, mergeCounts, noCounts, statsOf } from './tool-counts';
import type { CountedCall, ToolCounts, ToolDay, ToolStats } from './tool-counts.types';
import { ToolStatsRepository } from './tool-stats.repository';

/** Days that the figures are made of. */
const WINDOW_DAYS = 30;
const KEPT_DAYS = 400;
const FLUSH_MS = 5_000;
/** What other processes counted is seen this much later at most. */
const REFRESH_MS = 60_000;
const MAX_ORGANIZATIONS = 1_000;
const DAY_MS = 24 * 60 * 60_000;

/** The clock is looked at every so many calls only: looking costs as much as the rest. */
const LOOKS = 32;

/** The figures lag behind the counts by a fiftieth at most, so that nobody adds up buckets at every call. */
const LAG = 50;

/** A function may have the name of a tool; they are counted apart. */
export const statisticsName = ({
  name,
  kind,
}: {
  readonly name: string;
  readonly kind: 'pipeline' | 'function';
}): string => (kind === 'function' ? `function:${name}` : name);

interface HeldTool {
  counts: ToolCounts;
  stats: ToolStats | null;
  /** Calls that `stats` stands for. */
  readAtCalls: number;
}

interface Held {
  tools: Map<string, HeldTool>;
  /** null until the first read ends. */
  readAt: number | null;
  reading: Promise<void> | null;
  /** Looks since the clock was looked at. */
  looks: number;
}

/**
 * Counts calls of tools per organization: in memory at once, in the table a few seconds later, added to what other processes
 * counted. What a process that is killed has not written yet is lost.
 */
@Injectable()
export class ToolStatistics implements BeforeApplicationShutdown {
  private readonly logger = new Logger('ToolStatistics');
  private readonly held = new LRUCache<string, Held>({ max: MAX_ORGANIZATIONS });
  /** Not in the table yet, by organization, tool and day. */
  private pending = new Map<string, ToolDay>();
  /** Reads and writes take turns: what is pending is never in the table, too. */
  private turn: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly repository: ToolStatsRepository,
    jobs: JobQueue,
  ) {
    jobs.sweep(DAY_MS, () => this.repository.forget(KEPT_DAYS));
  }

  /**
   * Figures of the last 30 days, from memory. null when nothing was counted, and until the organization's counts have been
   * read for the first time, which the first call begins; `load` waits for that.
   */
  of(organizationId: string, plugin: string): ToolStats | null {
    const tool = this.holding(organizationId).tools.get(plugin);
    if (tool === undefined) return null;
    const { calls } = tool.counts;
    if (calls - tool.readAtCalls > tool.readAtCalls / LAG) {
      tool.stats = statsOf(tool.counts);
      tool.readAtCalls = calls;
    }
    return tool.stats;
  }

  /** Resolves when `of` knows the organization's counts; never rejects. */
  async load(organizationId: string): Promise<void> {
    const known = this.held.get(organizationId);
    if (known !== undefined) known.looks = LOOKS;
    const { readAt, reading } = this.holding(organizationId);
    if (readAt === null) await reading;
  }

  record(organizationId: string, plugin: string, call: CountedCall): void {
    const day = today();
    const key = `${organizationId} ${day} ${plugin}`;
    let pending = this.pending.get(key);
    if (pending === undefined) {
      pending = { organizationId, plugin, day, counts: noCounts() };
      this.pending.set(key, pending);
    }
    countCall(pending.counts, call);
    const held = this.held.get(organizationId);
    // Before the first read, what is pending is added when it ends.
    if (held !== undefined && held.readAt !== null) countCall(toolIn(held.tools, plugin).counts, call);
    this.flushSoon();
  }

  /** Writes what is pending; never rejects. */
  flush(): Promise<void> {
    return this.inTurn(async () => {
      const days = [...this.pending.values()];
      if (days.length === 0) return;
      const moving = this.pending;
      this.pending = new Map();
      try {
        await this.repository.add(days);
      } catch (error) {
        for (const [key, day] of moving) this.pending.set(key, mergeDay(day, this.pending.get(key)));
        this.flushSoon();
        throw error;
      }
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private holding(organizationId: string): Held {
    let held = this.held.get(organizationId);
    if (held === undefined) {
      held = { tools: new Map(), readAt: null, reading: null, looks: LOOKS };
      this.held.set(organizationId, held);
    }
    held.looks += 1;
    if (held.reading === null && held.looks > LOOKS) {
      held.looks = 0;
      if (held.readAt === null || performance.now() - held.readAt > REFRESH_MS)
        held.reading = this.read(organizationId, held);
    }
    return held;
  }

  private read(organizationId: string, held: Held): Promise<void> {
    return this.inTurn(async () => {
      const stored = await this.repository.read(organizationId, WINDOW_DAYS);
      const tools = new Map<string, HeldTool>();
      const mine = [...this.pending.values()].filter((day) => day.organizationId === organizationId);
      for (const { plugin, counts } of [...stored, ...mine]) {
        const tool = toolIn(tools, plugin);
        tool.counts = mergeCounts(tool.counts, counts);
      }
      // In the same step: from here on every call is counted here, too.
      held.tools = tools;
      held.readAt = performance.now();
    }).finally(() => {
      held.readAt ??= performance.now();
      held.reading = null;
    });
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work).catch((error: unknown) => {
      this.logger.warn(`counts of tools: ${error instanceof Error ? error.name : typeof error}`);
    });
    return this.turn;
  }

  private flushSoon(): void {
    if (this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.flush();
    }, FLUSH_MS);
    this.timer.unref();
  }
}

const mergeDay = (day: ToolDay, later: ToolDay | undefined): ToolDay =>
  later === undefined ? day : { ...day, counts: mergeCounts(day.counts, later.counts) };

function toolIn(tools: Map<string, HeldTool>, plugin: string): HeldTool {
  let tool = tools.get(plugin);
  if (tool === undefined) {
    tool = { counts: noCounts(), stats: null, readAtCalls: 0 };
    tools.set(plugin, tool);
  }
  return tool;
}

let dayNumber = -1;
let dayText = '';

/** UTC day; text is made once a day, as this is asked at every call. */
function today(): string {
  const number = Math.floor(Date.now() / DAY_MS);
  if (number !== dayNumber) {
    dayNumber = number;
    dayText = new Date(number * DAY_MS).toISOString().slice(0, 10);
  }
  return dayText;
}
