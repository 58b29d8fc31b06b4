import { Injectable } from '@nestjs/common';
import { PeopleNames } from '../../organizations';
import { RunsService } from '../../runs';
import { PeopleMask } from '../privacy/mask-people';
import { TimeSlices } from '../time-slices';
import type { AskedQuestion } from './asked-question.types';
import { AskedQuestionsRepository } from './asked-questions.repository';
import { daysUntil, LocalTime } from './local-time';

const DAY_MS = 86_400_000;
export const MOST_QUESTIONS = 5_000;

/** What the class asked in some days. */
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

  /** The last `days` days with today, in a time zone. */
  async last(
    organizationId: string,
    { assistantId, days, timeZone }: { readonly assistantId: number; readonly days: number; readonly timeZone: string },
  ): Promise<AskedPeriod> {
    await this.runs.flush();
    const local = new LocalTime(timeZone);
    const now = Date.now();
    const dates = daysUntil(local.at(now).day, days);
    const [first = ''] = dates;
    const since = now - (days + 1) * DAY_MS;
    const found = await this.asked.newest(organizationId, { assistantId, since, limit: MOST_QUESTIONS + 1 });
    const slices = new TimeSlices();
    const questions: AskedQuestion[] = [];
    for (const question of found) {
      await slices.ifDue();
      if (local.at(question.time).day >= first) questions.push(question);
    }
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
