import type { Awaitable, Caller } from '@bellwether/kernel';

/** A question before it is admitted. */
export interface AdmittedQuestion {
  readonly caller: Caller;
  readonly assistantId: number;
  /** The activity of a course in whose conversation it is asked; null without one. */
  readonly activityId: string | null;
  /** Another assistant asks. */
  readonly isNested: boolean;
}

/** Rules of courses for questions: opening times, agreements, assessment windows. */
export interface QuestionRules {
  /**
   * The instruction under which the question is answered; null for none.
   * @throws AppError `not_found`, `activity_closed`, `agreement_required`
   */
  admit(question: AdmittedQuestion): Awaitable<string | null>;
  /**
   * The activity to which a new conversation belongs; null for none. `wanted` names one.
   * @throws AppError `not_found` where the caller does not take part in it, or it lacks the assistant
   */
  activityFor(caller: Caller, assistantId: number, wanted: string | null): Promise<string | null>;
}

/** Injection token of `QuestionRules`, bound by the module that knows courses. */
export const QUESTION_RULES = Symbol('QUESTION_RULES');
