import { AppError, type Caller, assertActsForPerson, isUuid, notFound } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../src/infrastructure/audit';
import { Transactions } from '../../../src/infrastructure/database';
import { ActivityAssistants } from '../courses/activity-assistants.service';
import type { ActivityEntity, ActivitySettings, ActivityWindow } from '../courses/activity.entity';
import { ActivityRepository } from '../courses/activity.repository';
import { CourseRepository } from '../courses/course.repository';
import { ActivityPeopleRepository } from './activity-people.repository';
import type { ActivityPersonEntity, Agreement } from './activity-person.entity';
import type { ActivityDto, WindowNoticeDto } from './activity.dto';

/** Agreement that a student has to give before the first question; null for none. */
const neededAgreement = ({ teachersRead, anonymous }: ActivitySettings): Agreement | null =>
  teachersRead ? (anonymous ? 'pseudonymous' : 'named') : null;

/** True when the person's agreement suffices. An agreement by name covers a pseudonym too. */
export function isCovered(
  settings: ActivitySettings,
  { agreedAt, agreedTo }: Pick<ActivityPersonEntity, 'agreedAt' | 'agreedTo'>,
): boolean {
  const needed = neededAgreement(settings);
  return needed === null || (agreedAt !== null && (agreedTo === 'named' || agreedTo === needed));
}

const DEFAULTS: ActivitySettings = {
  teachersRead: false,
  anonymous: false,
  opensAt: null,
  closesAt: null,
  windows: [],
};

/** Stored settings, with defaults for absent ones. */
export const settingsOf = (stored: Partial<ActivitySettings>): ActivitySettings => ({ ...DEFAULTS, ...stored });

type Opening =
  | { readonly state: 'open' }
  | { readonly state: 'early'; readonly at: string }
  | { readonly state: 'over'; readonly at: string };

/** Whether students may ask, by the dates alone. `closesAt` is excluded. */
export function openingAt({ opensAt, closesAt }: ActivitySettings, now: number): Opening {
  if (opensAt !== null && now < Date.parse(opensAt)) return { state: 'early', at: opensAt };
  if (closesAt !== null && now >= Date.parse(closesAt)) return { state: 'over', at: closesAt };
  return { state: 'open' };
}

/** The windows in which the moment lies. */
export const windowsAt = (windows: readonly ActivityWindow[], now: number): ActivityWindow[] =>
  windows.filter(({ from, until }) => Date.parse(from) <= now && now < Date.parse(until));

/** The windows that are not over. */
export const windowsAfter = (windows: readonly ActivityWindow[], now: number): ActivityWindow[] =>
  windows.filter(({ until }) => now < Date.parse(until));

/** The window that counts among several: a closed one before strict ones, of those the one that lasts longest. */
export function strictestOf(windows: readonly ActivityWindow[]): ActivityWindow | null {
  const closed = windows.filter(({ mode }) => mode === 'closed');
  const [longest = null] = (closed.length > 0 ? closed : windows).toSorted(
    (one, other) => Date.parse(other.until) - Date.parse(one.until),
  );
  return longest;
}

/** The instructions of strict windows, once each; null where there is none. */
export function instructionOf(windows: readonly ActivityWindow[]): string | null {
  const texts = new Set(
    windows.flatMap(({ instruction = '' }) => (instruction.trim() === '' ? [] : instruction.trim())),
  );
  return texts.size === 0 ? null : [...texts].join('\n\n');
}

interface TakenPart {
  readonly activity: ActivityEntity;
  readonly person: ActivityPersonEntity;
  readonly settings: ActivitySettings;
}

/** Activities for the people who take part in them. */
@Injectable()
export class Activities {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly people: ActivityPeopleRepository,
    private readonly courses: CourseRepository,
    private readonly assistants: ActivityAssistants,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** @throws {AppError} `not_found` for people who never opened it, and beyond the reach of a launch */
  async get(caller: Caller, id: string): Promise<ActivityDto> {
    return this.present(caller, await this.takenPart(caller, id));
  }

  /** Records the agreement. @throws {AppError} `conflict` where another one is asked for by now */
  async agree(caller: Caller, id: string, agreement: Agreement): Promise<ActivityDto> {
    const { settings } = await this.takenPart(caller, id);
    if (neededAgreement(settings) !== agreement) {
      throw new AppError('conflict', 'The teacher has changed who reads the conversations: read it again', {
        reason: 'activity.agreement_changed',
      });
    }
    return this.record(caller, id, agreement);
  }

  /** From then on nobody reads the conversations. @throws {AppError} `not_found` */
  async withdraw(caller: Caller, id: string): Promise<ActivityDto> {
    await this.takenPart(caller, id);
    return this.record(caller, id, null);
  }

  private async record(caller: Caller, id: string, agreement: Agreement | null): Promise<ActivityDto> {
    await this.transactions.run(async (tx) => {
      await this.people.agree(caller, id, agreement, tx);
      const target = { type: 'lti_activity', id };
      const action = agreement === null ? 'lti_activity.withdraw' : 'lti_activity.agree';
      await this.audit.record({ caller, action, target, ...(agreement && { after: { agreed_to: agreement } }) }, tx);
    });
    return this.get(caller, id);
  }

  private async takenPart(caller: Caller, id: string): Promise<TakenPart> {
    assertActsForPerson(caller);
    const isReached = isUuid(id) && caller.activityIds?.includes(id) !== false;
    const [person] = isReached ? await this.people.of(caller, [id]) : [];
    const activity = person === undefined ? null : await this.activities.within(caller.organizationId).find(id);
    if (person === undefined || activity === null) throw notFound('Activity');
    return { activity, person, settings: settingsOf(activity.settings) };
  }

  private async present(caller: Caller, { activity, person, settings }: TakenPart): Promise<ActivityDto> {
    const { organizationId, assistantIds: bound } = caller;
    const now = Date.now();
    const course = activity.courseId === null ? null : await this.courses.find(organizationId, activity.courseId);
    const ids = activity.assistantIds.filter((id) => bound === null || bound.includes(id));
    const stands = await this.assistants.standOf(organizationId, ids);
    const { windows, anonymous, teachersRead, opensAt, closesAt } = settings;
    const [next = null] = windows
      .filter(({ from }) => now < Date.parse(from))
      .toSorted((one, other) => Date.parse(one.from) - Date.parse(other.from));
    return {
      id: activity.id,
      title: activity.title,
      course: course === null ? null : { id: course.id, title: course.title },
      role: person.instructor ? 'instructor' : 'learner',
      assistants: stands.filter(({ state }) => state === 'published').map(({ id, name }) => ({ id, name })),
      state: openingAt(settings, now).state,
      opens_at: opensAt,
      closes_at: closesAt,
      window: noticeOf(strictestOf(windowsAt(windows, now))),
      next_window: noticeOf(next),
      teachers_read: teachersRead,
      anonymous,
      pseudonym: anonymous ? person.pseudonym : null,
      agreement: {
        needed: person.instructor ? null : neededAgreement(settings),
        agreed_to: person.agreedTo,
        agreed_at: person.agreedAt?.toISOString() ?? null,
        covered: person.instructor || isCovered(settings, person),
      },
      now: new Date(now).toISOString(),
    };
  }
}

/** Without the instruction, which is the teacher's. */
const noticeOf = (window: ActivityWindow | null): WindowNoticeDto | null =>
  window === null ? null : { mode: window.mode, from: window.from, until: window.until };
