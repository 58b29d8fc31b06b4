import { AppError, type Caller, isUuid, notFound } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { AdmittedQuestion, QuestionRules } from '../../../src/answering';
import { FreshCache } from '../../../src/infrastructure/cache';
import { withinOrganization } from '../../../src/infrastructure/database';
import type { ActivityWindow } from '../courses/activity.entity';
import {
  instructionOf,
  isCovered,
  openingAt,
  settingsOf,
  strictestOf,
  windowsAfter,
  windowsAt,
} from './activities.service';
import { ActivityPeopleRepository } from './activity-people.repository';
import type { ActivityPersonEntity } from './activity-person.entity';
import { type ActivityRules, ActivityRulesRepository, type WindowedActivity } from './activity-rules.repository';

/** A change of settings is obeyed within this time on every replica, at once on the one that made it. */
const MAX_AGE_MS = 5_000;
const MOST = 20_000;

/**
 * Applies the settings of course activities to every question, by the clock of the server. Windows bind the students of
 * the course whatever credential they ask with; dates and agreements bind the activity through which they ask.
 */
@Injectable()
export class CourseRules implements QuestionRules {
  private readonly windows = new FreshCache<string, readonly WindowedActivity[]>({
    maxAge: MAX_AGE_MS,
    max: MOST,
    load: (key) => this.loadWindows(key),
  });
  private readonly activities = new FreshCache<string, ActivityRules | null>({
    maxAge: MAX_AGE_MS,
    max: MOST,
    load: (key) => this.loadActivity(key),
  });

  constructor(
    private readonly rules: ActivityRulesRepository,
    private readonly people: ActivityPeopleRepository,
  ) {}

  admit(question: AdmittedQuestion): Promise<string | null> | string | null {
    const { caller, assistantId, activityId, isNested } = question;
    const windows = this.windows.get(keyOf(caller.organizationId, assistantId));
    if (windows instanceof Promise) return windows.then((found) => this.decide(question, found));
    const isOutside = isNested || (activityId === null && caller.activityIds === undefined);
    return isOutside && windows.length === 0 ? null : this.decide(question, windows);
  }

  async activityFor(caller: Caller, assistantId: number, wanted: string | null): Promise<string | null> {
    if (wanted === null && caller.activityIds === undefined) return null;
    const [first] = await this.reached(caller, assistantId, wanted);
    if (first !== undefined) return first.rules.id;
    throw notFound(wanted === null ? 'Assistant' : 'Activity');
  }

  /** After the commit of a change. */
  forget(organizationId: string, { id, assistantIds }: Pick<ActivityRules, 'id' | 'assistantIds'>): void {
    this.activities.delete(keyOf(organizationId, id));
    for (const assistantId of assistantIds) this.windows.delete(keyOf(organizationId, assistantId));
  }

  private async decide(question: AdmittedQuestion, windows: readonly WindowedActivity[]): Promise<string | null> {
    const { caller, activityId, isNested } = question;
    const now = Date.now();
    const isFromCourse = activityId !== null || caller.activityIds !== undefined;
    if (isFromCourse && !isNested) await this.assertOpen(question, now);
    const binding = await this.bindingWindows(caller, windows, now);
    const strictest = strictestOf(binding);
    if (strictest?.mode === 'closed') throw closed('activity.window', strictest.until);
    return instructionOf(binding);
  }

  /** One activity that lets the person ask is enough. */
  private async assertOpen({ caller, assistantId, activityId }: AdmittedQuestion, now: number): Promise<void> {
    const reached = await this.reached(caller, assistantId, activityId);
    const refusals = reached.map(({ rules, person }) => refusalOf(rules, person, now));
    const [first = notFound('Assistant')] = refusals;
    if (first !== null && !refusals.includes(null)) throw first;
  }

  /** The activities with the assistant through which the caller may ask, the newest launch first. */
  private async reached(
    caller: Caller,
    assistantId: number,
    wanted: string | null,
  ): Promise<{ readonly rules: ActivityRules; readonly person: ActivityPersonEntity }[]> {
    const bound = caller.activityIds;
    const ids = wanted === null ? (bound ?? []) : [wanted].filter((id) => bound?.includes(id) ?? isUuid(id));
    if (ids.length === 0) return [];
    const [found, people] = await Promise.all([
      Promise.all(ids.map(async (id) => this.activities.get(keyOf(caller.organizationId, id)))),
      withinOrganization(caller.organizationId, () => this.people.of(caller, ids)),
    ]);
    return found.flatMap((rules) => {
      const person = people.find((each) => each.activityId === rules?.id);
      return rules?.assistantIds.includes(assistantId) === true && person !== undefined ? [{ rules, person }] : [];
    });
  }

  private async bindingWindows(
    caller: Caller,
    activities: readonly WindowedActivity[],
    now: number,
  ): Promise<ActivityWindow[]> {
    const current = activities.filter(({ windows }) => windowsAt(windows, now).length > 0);
    if (current.length === 0) return [];
    const ids = current.map(({ id }) => id);
    const learnsIn = await withinOrganization(caller.organizationId, () => this.people.learnsIn(caller, ids));
    return current.filter(({ id }) => learnsIn.has(id)).flatMap(({ windows }) => windowsAt(windows, now));
  }

  private async loadWindows(key: string): Promise<readonly WindowedActivity[]> {
    const [organizationId, assistantId] = partsOf(key);
    const found = await withinOrganization(organizationId, () =>
      this.rules.windowed(organizationId, Number(assistantId)),
    );
    const now = Date.now();
    return found.filter(({ windows }) => windowsAfter(windows, now).length > 0);
  }

  private loadActivity(key: string): Promise<ActivityRules | null> {
    const [organizationId, id] = partsOf(key);
    return withinOrganization(organizationId, () => this.rules.find(organizationId, id));
  }
}

/** Teachers try the activity whenever they like. */
function refusalOf(rules: ActivityRules, person: ActivityPersonEntity, now: number): AppError | null {
  if (person.instructor) return null;
  const settings = settingsOf(rules.settings);
  const opening = openingAt(settings, now);
  if (opening.state === 'early') return closed('activity.early', opening.at);
  if (opening.state === 'over') return closed('activity.over', opening.at);
  if (!isCovered(settings, person)) {
    return new AppError('agreement_required', 'Teachers of the course read the conversations: agree to it first');
  }
  return null;
}

const CLOSED = {
  'activity.early': { name: 'opens_at', text: 'The activity opens at' },
  'activity.over': { name: 'closed_at', text: 'The activity ended at' },
  'activity.window': { name: 'ends_at', text: 'The assistant does not answer during the assessment, until' },
} as const;

const closed = (reason: keyof typeof CLOSED, at: string): AppError =>
  new AppError('activity_closed', `${CLOSED[reason].text} ${at}`, { reason, values: { [CLOSED[reason].name]: at } });

const keyOf = (organizationId: string, id: string | number): string => `${organizationId} ${id}`;
const partsOf = (key: string): [organizationId: string, id: string] => {
  const [organizationId = '', id = ''] = key.split(' ');
  return [organizationId, id];
};
