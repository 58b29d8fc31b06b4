import { api, idempotencyKey, must, type Schema } from '$lib/kit/api/client';
import type { Page, PageQuery } from '$lib/kit/api/pages';
import { ifMatch } from '$lib/kit/api/versions';
import type {
  Activity,
  Course,
  CourseUse,
  Grade,
  Member,
  Offered,
  ReadableConversation,
  Topics,
  TrialAnswer,
  WholeReadable,
} from './course.types';

const pathOf = (id: string) => ({ path: { id } });

export const readCourse = async (id: string): Promise<Course> =>
  must(await api.GET('/api/v1/lti/courses/{id}', { params: pathOf(id) }));

export const readUse = async (id: string, days: number): Promise<CourseUse> =>
  must(await api.GET('/api/v1/lti/courses/{id}/use', { params: { ...pathOf(id), query: { days } } }));

export const readTopics = async (id: string, days: number): Promise<Topics> =>
  must(await api.GET('/api/v1/lti/courses/{id}/topics', { params: { ...pathOf(id), query: { days } } }));

export const readMembers = async (id: string): Promise<readonly Member[]> =>
  must(await api.GET('/api/v1/lti/courses/{id}/members', { params: pathOf(id) })).items;

export const readOffered = async (id: string): Promise<readonly Offered[]> =>
  must(await api.GET('/api/v1/lti/activities/{id}/assistants', { params: pathOf(id) })).items;

export async function changeActivity(
  id: string,
  version: number,
  body: Schema<'UpdateActivityDto'>,
): Promise<Activity> {
  const params = { ...pathOf(id), header: ifMatch(version) };
  return must(await api.PATCH('/api/v1/lti/activities/{id}', { params, body }));
}

export async function publishAssistant(id: string, assistant: number): Promise<Activity> {
  const params = { path: { id, assistant } };
  return must(await api.PUT('/api/v1/lti/activities/{id}/assistants/{assistant}/publication', { params }));
}

export const tryAssistant = async (id: string, body: Schema<'AssistantTrialDto'>): Promise<TrialAnswer> =>
  must(await api.POST('/api/v1/lti/activities/{id}/trials', { params: pathOf(id), body }));

export const pageOfReadable = async (id: string, query: PageQuery): Promise<Page<ReadableConversation>> =>
  must(await api.GET('/api/v1/lti/activities/{id}/conversations', { params: { ...pathOf(id), query } }));

export async function readReadable(id: string, conversation: string): Promise<WholeReadable> {
  const params = { path: { id, conversation } };
  return must(await api.GET('/api/v1/lti/activities/{id}/conversations/{conversation}', { params }));
}

export const readGrades = async (id: string): Promise<readonly Grade[]> =>
  must(await api.GET('/api/v1/lti/activities/{id}/grades', { params: pathOf(id) })).items;

export async function giveGrade(id: string, body: Schema<'NewGradeDto'>): Promise<Grade> {
  const headers = { 'Idempotency-Key': idempotencyKey() };
  return must(await api.POST('/api/v1/lti/activities/{id}/grades', { params: pathOf(id), headers, body } as never));
}

export async function sendGradeAgain(id: string, grade: string): Promise<Grade> {
  return must(await api.POST('/api/v1/lti/activities/{id}/grades/{grade}/send', { params: { path: { id, grade } } }));
}
