import { type Caller, type Problem, invalid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog, VersionedResource } from '../../../src/infrastructure/audit';
import { Transactions } from '../../../src/infrastructure/database';
import { settingsOf } from '../activities/activities.service';
import { ActivityPeopleRepository } from '../activities/activity-people.repository';
import { CourseRules } from '../activities/course-rules.service';
import { ActivityAssistants } from '../courses/activity-assistants.service';
import type { ActivityEntity, ActivitySettings, ActivityWindow } from '../courses/activity.entity';
import { ActivityRepository } from '../courses/activity.repository';
import { assertChanges, personOf } from '../services/taught-person';
import type { NewWindowDto, TaughtActivityDto, UpdateActivityDto } from './course.dto';
import { TaughtCourses } from './taught-courses.service';

/** Settings of activities, which instructors of the course change. */
@Injectable()
export class ActivitySettingsEditor {
  constructor(
    private readonly courses: TaughtCourses,
    private readonly activities: ActivityRepository,
    private readonly people: ActivityPeopleRepository,
    private readonly assistants: ActivityAssistants,
    private readonly rules: CourseRules,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** @throws {AppError} `not_found`, `validation_failed`, `precondition_failed` */
  async update(
    caller: Caller,
    id: string,
    input: UpdateActivityDto,
    expected: number | null,
  ): Promise<TaughtActivityDto> {
    const known = await this.courses.activity(caller, id);
    assertChanges(caller);
    await this.assertAssistants(caller, known, input.assistants ?? []);
    const row = await this.versions.change({ caller, id, expected }, 'update', async (current, tx) => {
      const before = settingsOf(current.settings);
      const settings = changed(before, input);
      assertTimes(settings);
      const assistantIds = input.assistants ?? current.assistantIds;
      // Whoever agreed knew who read at that time.
      if (before.teachersRead && !settings.teachersRead)
        await this.people.forgetAgreements(caller.organizationId, id, tx);
      // Students are told of a pseudonym from now on: an older agreement must not name them later.
      if (!before.anonymous && settings.anonymous) await this.people.narrowAgreements(caller.organizationId, id, tx);
      return {
        values: { settings, assistantIds },
        before: { assistants: current.assistantIds, ...before },
        after: { assistants: assistantIds, ...settings },
      };
    });
    this.rules.forget(caller.organizationId, { id, assistantIds: [...known.assistantIds, ...row.assistantIds] });
    return this.courses.presentedActivity(caller, row);
  }

  /** Present ones may stay, whatever became of them. */
  private async assertAssistants(caller: Caller, known: ActivityEntity, wanted: readonly number[]): Promise<void> {
    const added = wanted.filter((id) => !known.assistantIds.includes(id));
    if (added.length === 0) return;
    const offered = new Set((await this.assistants.offeredTo(personOf(caller))).map(({ id }) => id));
    const problems = wanted.flatMap((id, place): Problem[] => {
      if (!added.includes(id) || offered.has(id)) return [];
      const message = `assistant ${id} is not published, or you may not use it`;
      return [{ path: `assistants[${place}]`, message, code: 'assistant.not_offered', values: { id } }];
    });
    if (problems.length > 0) throw invalid(problems);
  }

  private get versions(): VersionedResource<ActivityEntity> {
    return new VersionedResource(this.transactions, this.audit, {
      type: 'lti_activity',
      label: 'Activity',
      within: ({ organizationId }, tx) => this.activities.within(organizationId, tx),
      assertMayChange: () => undefined,
    });
  }
}

const momentOf = (text: string): string => new Date(text).toISOString();
const momentOrNone = (text: string | null): string | null => (text === null ? null : momentOf(text));

function changed(before: ActivitySettings, input: UpdateActivityDto): ActivitySettings {
  const { teachers_read: teachersRead, anonymous, opens_at: opensAt, closes_at: closesAt, windows } = input;
  return {
    teachersRead: teachersRead ?? before.teachersRead,
    anonymous: anonymous ?? before.anonymous,
    opensAt: opensAt === undefined ? before.opensAt : momentOrNone(opensAt),
    closesAt: closesAt === undefined ? before.closesAt : momentOrNone(closesAt),
    windows: windows?.map(windowOf) ?? before.windows,
  };
}

const windowOf = ({ from, until, mode, instruction = '' }: NewWindowDto): ActivityWindow => ({
  from: momentOf(from),
  until: momentOf(until),
  mode,
  ...(mode === 'strict' && { instruction }),
});

function assertTimes({ opensAt, closesAt, windows }: ActivitySettings): void {
  const problems: Problem[] = [];
  if (opensAt !== null && closesAt !== null && closesAt <= opensAt) {
    problems.push({ path: 'closes_at', message: 'must be after opens_at', code: 'time.order' });
  }
  for (const [index, { from, until, mode, instruction = '' }] of windows.entries()) {
    if (until <= from)
      problems.push({ path: `windows[${index}].until`, message: 'must be after from', code: 'time.order' });
    if (mode === 'strict' && instruction === '') {
      const message = 'a strict window needs an instruction';
      problems.push({ path: `windows[${index}].instruction`, message, code: 'value.missing' });
    }
  }
  if (problems.length > 0) throw invalid(problems);
}
