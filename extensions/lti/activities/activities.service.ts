import { Injectable } from '@nestjs/common';
import { AppError, assertActsForPerson, type Caller, isUuid, notFound } from '../../../src/kernel';
import { AuditLog } from '../../../src/infrastructure/audit';
import { Transactions } from '../../../src/infrastructure/database';
import { ActivityAssistants } from '../courses/activity-assistants.service';
import type { ActivityEntity } from '../courses/activity.entity';
import { ActivityRepository } from '../courses/activity.repository';
import type { ActivitySettings, ActivityWindow } from '../courses/activity.types';
import { CourseRepository } from '../courses/course.repository';
import type { ActivityDto, WindowNoticeDto } from './activity.dto';
import { ActivityPeopleRepository } from './activity-people.repository';
import type { ActivityPersonEntity, Agreement } from './activity-person.entity';
import { openingAt, settingsOf, strictestOf, windowsAt } from './activity-times';
import { isCovered, neededAgreement } from './agreements';

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
