import type { Caller } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { ActivityUseRepository, type UseFigures } from '../../../src/chat';
import { ActivityPeopleRepository } from '../activities/activity-people.repository';
import { ActivityRepository } from '../courses/activity.repository';
import type { CourseUseDto, TopicsDto, UseDto } from './course.dto';
import { TaughtCourses } from './taught-courses.service';
import { topicsOf } from './readable-conversations.service';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** With fewer, a topic could be traced to its asker. */
const LEAST_STUDENTS = 5;
const MOST_TOPICS = 15;
const MOST_QUESTIONS = 3_000;
const MOST_CHARS = 600;

/** The use of a course, for those who teach it. Nobody is named. */
@Injectable()
export class CourseUse {
  constructor(
    private readonly courses: TaughtCourses,
    private readonly activities: ActivityRepository,
    private readonly people: ActivityPeopleRepository,
    private readonly use: ActivityUseRepository,
  ) {}

  /** @throws {AppError} `not_found` for people who do not teach the course */
  async figures(caller: Caller, courseId: string, days = DEFAULT_DAYS): Promise<CourseUseDto> {
    const query = await this.query(caller, courseId, days);
    const [figures, ratings] = await Promise.all([this.use.figures(query), this.use.ratings(query)]);
    const isTotal = ({ activityId, day }: UseFigures): boolean => activityId === null && day === null;
    return {
      ...useOf(figures.find(isTotal)),
      days: figures
        .flatMap((each) => (each.day === null ? [] : { day: each.day, ...useOf(each) }))
        .sort((one, other) => (one.day < other.day ? -1 : 1)),
      activities: figures.flatMap((each) => {
        const { activityId, assistantId } = each;
        if (activityId === null || assistantId !== null) return [];
        const rated = ratings.find((rating) => rating.activityId === activityId);
        const assistants = figures.flatMap((one) =>
          one.activityId === activityId && one.assistantId !== null
            ? { assistant_id: one.assistantId, ...useOf(one) }
            : [],
        );
        const { up = 0, down = 0, failed = 0 } = rated ?? {};
        return { activity_id: activityId, ...useOf(each), assistants, up, down, failed };
      }),
    };
  }

  /** @throws {AppError} as `figures` */
  async topics(caller: Caller, courseId: string, days = DEFAULT_DAYS): Promise<TopicsDto> {
    const query = await this.query(caller, courseId, days);
    const questions = await this.use.questions(query, MOST_QUESTIONS, MOST_CHARS);
    const topics = topicsOf(questions, { least: LEAST_STUDENTS, most: MOST_TOPICS });
    return {
      least_students: LEAST_STUDENTS,
      questions: questions.length,
      items: topics.map(({ words, questions: held, people }) => ({ words, questions: held, students: people })),
    };
  }

  private async query(caller: Caller, courseId: string, days: number) {
    const { organizationId } = caller;
    const course = await this.courses.course(caller, courseId);
    const found = await this.activities.within(organizationId).ofCourse(course.id);
    const activityIds = found.map(({ id }) => id);
    const people = await this.people.allOf(organizationId, activityIds);
    const without = people.filter(({ instructor }) => instructor).map(({ userId }) => userId);
    return { organizationId, activityIds, without, from: new Date(Date.now() - days * DAY_MS) };
  }
}

const useOf = (figures: UseFigures | undefined): UseDto => ({
  questions: figures?.questions ?? 0,
  students: figures?.people ?? 0,
});
