import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { BufferedCounters } from '../../infrastructure/counters';
import { JobQueue } from '../../infrastructure/jobs';
import { countCall, mergeCounts, noCounts, statsOf } from './tool-counts';
import type { CountedCall, ToolCounts, ToolDay, ToolStats } from './tool-counts.types';
import { ToolStatsRepository } from './tool-stats.repository';

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
