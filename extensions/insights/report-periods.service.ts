import { type Caller, atMost } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AuditLog } from '../../src/infrastructure/audit';
import { UserNames } from '../../src/organizations';
import { RunsService } from '../../src/runs';
import { PeopleMask, periodStart } from './mask-people';
import { type AskedQuestion, AskedQuestionsRepository } from './asked-questions.repository';

/** All offsets from UTC are multiples of it. */
const QUARTER_MS = 15 * 60_000;

interface LocalHour {
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** 0..23 */
  readonly hour: number;
}

/** Days and hours of one time zone. Formats each quarter of an hour once: formatting is slow. */
export class LocalTime {
  private readonly format: Intl.DateTimeFormat;
  private readonly known = new Map<number, LocalHour>();

  /** `timeZone`: an IANA name */
  constructor(timeZone: string) {
    const numbers = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit' } as const;
    this.format = new Intl.DateTimeFormat('en-CA', { timeZone, hourCycle: 'h23', calendar: 'iso8601', ...numbers });
  }

  at(time: number): LocalHour {
    const quarter = Math.floor(time / QUARTER_MS);
    const known = this.known.get(quarter) ?? this.read(quarter * QUARTER_MS);
    this.known.set(quarter, known);
    return known;
  }

  private read(time: number): LocalHour {
    const parts = new Map(this.format.formatToParts(time).map(({ type, value }) => [type, value]));
    const [year = '', month = '', day = '', hour] = (['year', 'month', 'day', 'hour'] as const).map((type) =>
      parts.get(type),
    );
    return { day: `${year.padStart(4, '0')}-${month}-${day}`, hour: Number(hour) };
  }
}

/** So many days until `last`, oldest first. */
export function daysUntil(last: string, count: number): readonly string[] {
  const end = Date.parse(`${last}T00:00:00Z`);
  return Array.from({ length: count }, (_, at) => new Date(end - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10));
}

/** Insights that are read again in this time are the same reading. */
const SAME_READING_MS = 10 * 60_000;
const MOST_READINGS = 10_000;

/** Audits who reads what a class asks. Each process counts for itself. */
@Injectable()
export class InsightAccessAudit {
  private readonly recent = new LRUCache<string, true>({ ...atMost(MOST_READINGS), ttl: SAME_READING_MS });

  constructor(private readonly audit: AuditLog) {}

  async of(caller: Caller, assistantId: number): Promise<void> {
    const key = `${caller.organizationId} ${caller.userId} ${assistantId}`;
    if (this.recent.has(key)) return;
    this.recent.set(key, true);
    const target = { type: 'assistant', id: String(assistantId) };
    await this.audit.record({ caller, action: 'assistant.insights_read', target });
  }
}

const DAY_MS = 86_400_000;
/** Longer than the longest period. Every period is cut from the same questions. */
const LONGEST_DAYS = 367;
const MOST_ASKERS = 20_000;
const MOST_QUESTIONS = 5_000;

/** Questions of the class in a period. */
export interface AskedPeriod {
  /** Days of the period, oldest first, as `YYYY-MM-DD`. */
  readonly dates: readonly string[];
  readonly local: LocalTime;
  /** Newest first. */
  readonly questions: readonly AskedQuestion[];
  /** There are older questions in the period, which are not read. */
  readonly capped: boolean;
}

@Injectable()
export class ReportPeriods {
  constructor(
    private readonly asked: AskedQuestionsRepository,
    private readonly runs: RunsService,
    private readonly names: UserNames,
  ) {}

  /** The last `days` days with today, in a time zone, from the first block of five people on (`periodStart`). */
  async last(
    organizationId: string,
    { assistantId, days, timeZone }: { readonly assistantId: number; readonly days: number; readonly timeZone: string },
  ): Promise<AskedPeriod> {
    await this.runs.flush();
    const local = new LocalTime(timeZone);
    const now = Date.now();
    const dates = daysUntil(local.at(now).day, days);
    const [first = ''] = dates;
    const since = now - LONGEST_DAYS * DAY_MS;
    const askers = await this.asked.askers(organizationId, { assistantId, since, limit: MOST_ASKERS });
    const from = periodStart(askers, (time) => local.at(time).day >= first);
    const limit = MOST_QUESTIONS + 1;
    const questions = from === null ? [] : await this.asked.newest(organizationId, { assistantId, from, limit });
    return {
      dates,
      local,
      questions: questions.slice(0, MOST_QUESTIONS),
      capped: questions.length > MOST_QUESTIONS,
    };
  }

  async maskOf(organizationId: string, people: ReadonlySet<string>): Promise<PeopleMask> {
    return new PeopleMask(await this.names.of(organizationId, [...people]));
  }
}
