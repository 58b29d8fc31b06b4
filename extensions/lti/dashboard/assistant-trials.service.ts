import { type Caller, notFound } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { questionRequest, HeadlessCompletions } from '../../../src/answering';
import type { AssistantTrialAnswerDto, AssistantTrialDto } from './course.dto';
import { TaughtCourses } from './taught-courses.service';
import { personOf } from '../services/taught-person';

/** Questions by which teachers try an assistant of their course. They are kept in no conversation. */
@Injectable()
export class AssistantTrials {
  constructor(
    private readonly courses: TaughtCourses,
    private readonly answers: HeadlessCompletions,
  ) {}

  /** @throws {AppError} `not_found`, and those of a completion */
  async ask(
    caller: Caller,
    activityId: string,
    { assistant_id: assistantId, question, instruction = '' }: AssistantTrialDto,
    signal: AbortSignal,
  ): Promise<AssistantTrialAnswerDto> {
    const activity = await this.courses.activity(caller, activityId);
    if (!activity.assistantIds.includes(assistantId)) throw notFound('Assistant');
    const request = questionRequest(question);
    const person = personOf(caller);
    const { text, sources } = await this.answers.answer({
      caller: { ...person, scopes: ['chat'] },
      assistantId,
      request,
      signal,
      ...(instruction !== '' && { instruction }),
    });
    return { answer: text, sources: [...sources] };
  }
}
