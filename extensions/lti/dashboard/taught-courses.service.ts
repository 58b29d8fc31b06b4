import { AppError, type Caller, isTeacher, isUuid, notFound, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantEditor, AssistantsService } from '../../../src/assistants';
import { isCovered, settingsOf } from '../activities/activities.service';
import { ActivityPeopleRepository } from '../activities/activity-people.repository';
import type { ActivityPersonEntity } from '../activities/activity-person.entity';
import { ActivityAssistants, type AssistantStand } from '../courses/activity-assistants.service';
import type { ActivityEntity } from '../courses/activity.entity';
import { ActivityRepository } from '../courses/activity.repository';
import type { CourseEntity } from '../courses/course.entity';
import { PlatformRepository } from '../platforms/platform.repository';
import { isGradable } from '../services/grades.service';
import { assertChanges, personOf } from '../services/taught-person';
import { TaughtRepository } from '../services/taught.repository';
import type { OfferedAssistantsDto, TaughtActivityDto, TaughtAssistantDto, TaughtCourseDto } from './course.dto';

/** Courses for those who teach them. */
@Injectable()
export class TaughtCourses {
  constructor(
    private readonly taught: TaughtRepository,
    private readonly platforms: PlatformRepository,
    private readonly activities: ActivityRepository,
    private readonly people: ActivityPeopleRepository,
    private readonly stands: ActivityAssistants,
    private readonly assistants: AssistantsService,
    private readonly editor: AssistantEditor,
  ) {}

  /** @throws {AppError} `not_found` for people who do not teach the course */
  async get(caller: Caller, id: string): Promise<TaughtCourseDto> {
    const course = await this.course(caller, id);
    const platform = await this.platforms.within(caller.organizationId).find(course.platformId);
    const activities = await this.activities.within(caller.organizationId).ofCourse(course.id);
    return {
      id: course.id,
      title: course.title,
      platform: platform?.name ?? '',
      has_roster: course.rosterUrl !== null,
      activities: await this.presented(caller, activities),
    };
  }

  /** @throws {AppError} as `get` */
  async course(caller: Caller, id: string): Promise<CourseEntity> {
    return existing(isUuid(id) ? await this.taught.course(caller, id) : null, 'Course');
  }

  /** @throws {AppError} `not_found` for people who do not teach its course */
  async activity(caller: Caller, id: string): Promise<ActivityEntity> {
    return existing(isUuid(id) ? await this.taught.activity(caller, id) : null, 'Activity');
  }

  async presentedActivity(caller: Caller, activity: ActivityEntity): Promise<TaughtActivityDto> {
    const [shown] = await this.presented(caller, [activity]);
    if (shown === undefined) throw notFound('Activity');
    return shown;
  }

  /** Published assistants that the teacher may put into an activity. @throws {AppError} as `activity` */
  async offered(caller: Caller, activityId: string): Promise<OfferedAssistantsDto> {
    await this.activity(caller, activityId);
    const found = await this.stands.offeredTo(personOf(caller));
    return { items: found.map(({ id, name, description }) => ({ id, name, description })) };
  }

  /** Publishes an assistant of the activity with the rights of the teacher's own account. @throws {AppError} as `activity`, `forbidden`, and those of a publication */
  async publish(caller: Caller, activityId: string, assistantId: number): Promise<TaughtActivityDto> {
    const activity = await this.activity(caller, activityId);
    assertChanges(caller);
    if (!activity.assistantIds.includes(assistantId)) throw notFound('Assistant');
    if (!isTeacher(caller))
      throw new AppError('forbidden', 'Publishing needs the role teacher', { reason: 'role.needed' });
    await this.editor.publish(personOf(caller), assistantId, null);
    return this.presentedActivity(caller, activity);
  }

  private async presented(caller: Caller, activities: readonly ActivityEntity[]): Promise<TaughtActivityDto[]> {
    const { organizationId } = caller;
    const ids = [...new Set(activities.flatMap(({ assistantIds }) => assistantIds))];
    const [stands, people] = await Promise.all([
      this.stands.standOf(organizationId, ids),
      this.people.allOf(
        organizationId,
        activities.map(({ id }) => id),
      ),
    ]);
    const assistants = new Map(
      await Promise.all(stands.map(async (stand) => [stand.id, await this.shown(caller, stand)] as const)),
    );
    return activities.map((activity) =>
      viewOf(
        activity,
        activity.assistantIds.flatMap((id) => assistants.get(id) ?? []),
        people.filter(({ activityId, instructor }) => activityId === activity.id && !instructor),
      ),
    );
  }

  private async shown(caller: Caller, stand: AssistantStand): Promise<TaughtAssistantDto> {
    const isDraft = stand.state === 'unpublished';
    return { ...stand, may_publish: isDraft && isTeacher(caller) && (await this.isOwn(caller, stand.id)) };
  }

  private async isOwn(caller: Caller, id: number): Promise<boolean> {
    try {
      return (await this.assistants.runnable(personOf(caller), id)).access === 'owner';
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return false;
      throw error;
    }
  }
}

function viewOf(
  activity: ActivityEntity,
  assistants: TaughtAssistantDto[],
  students: readonly ActivityPersonEntity[],
): TaughtActivityDto {
  const settings = settingsOf(activity.settings);
  const agreed = settings.teachersRead ? students.filter((student) => isCovered(settings, student)) : [];
  return {
    id: activity.id,
    title: activity.title,
    assistants,
    teachers_read: settings.teachersRead,
    anonymous: settings.anonymous,
    opens_at: settings.opensAt,
    closes_at: settings.closesAt,
    windows: settings.windows.map(({ instruction = '', ...window }) => ({ ...window, instruction })),
    students: students.length,
    agreed: agreed.length,
    takes_grades: isGradable(activity),
    version: activity.version,
  };
}
