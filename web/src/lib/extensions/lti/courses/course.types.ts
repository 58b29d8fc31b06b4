import type { Schema } from '$lib/kit/api/client';

export type Course = Schema<'TaughtCourseDto'>;
export type Activity = Schema<'TaughtActivityDto'>;
export type ActivityUse = Schema<'ActivityUseDto'>;
export type CourseUse = Schema<'CourseUseDto'>;
export type Topics = Schema<'TopicsDto'>;
export type Window = Schema<'ActivityWindowDto'>;
export type Offered = Schema<'OfferedAssistantDto'>;
export type Grade = Schema<'GradeDto'>;
export type Member = Schema<'CourseMemberDto'>;
export type ReadableConversation = Schema<'ReadableConversationDto'>;
export type WholeReadable = Schema<'ReadWholeConversationDto'>;
export type TrialAnswer = Schema<'AssistantTrialAnswerDto'>;
