export { objectAt, valueAt } from './json-path';
export { type KbCollection, type KbData, type KbFile, openKbData } from './kb-data';
export { openLambSource, readLambPasswords } from './lamb-source';
export * from './lamb-source.types';
export type { LambKey, LambLtiPerson } from './lti-activities';
export { LAMB_PROBLEM_CODES, type LambProblem } from './problem.types';
export { type RecordedQuestion, recordedQuestions } from './recorded-questions';
