import type { ItemKind } from './report.types';

export const KIND_NAMES: Readonly<Record<ItemKind, string>> = {
  organization: 'organization',
  user: 'users',
  member: 'memberships',
  assistant: 'assistants',
  share: 'shares',
  rubric: 'rubrics',
  prompt_template: 'prompt templates',
  collection: 'knowledge bases',
  file: 'files',
  activity: 'LTI activities',
  lti_key: 'LTI 1.1 keys',
  lti_person: 'LTI 1.1 people',
};
