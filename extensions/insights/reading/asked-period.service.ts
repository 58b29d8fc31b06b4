import { Injectable } from '@nestjs/common';
import { PeopleNames } from '../../../src/organizations';
import { RunsService } from '../../../src/runs';
import { PeopleMask } from '../privacy/mask-people';
import { periodStart } from '../privacy/period-start';
import type { AskedQuestion } from './asked-question.types';
import { AskedQuestionsRepository } from './asked-questions.repository';
import { daysUntil, LocalTime } from './local-time';

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
export class AskedPeriods {
  constructor(
    private readonly asked: AskedQuestionsRepository,
    private readonly runs: RunsService,
    private readonly names: PeopleNames,
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
