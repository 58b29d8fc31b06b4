import type { AssistantType } from '../definition';

export interface Starter {
  readonly id: string;
  readonly type: AssistantType;
  readonly name: string;
  readonly description: string;
  readonly system_prompt: string;
  readonly prompt_template: string;
}

/** Built-in templates. Their ids are words, so they never equal the UUID of a stored template. */
export const STARTERS: readonly Starter[] = [
  {
    id: 'starter-plain',
    type: 'classic',
    name: 'Plain tutor',
    description: 'No sources: the model answers from what it knows.',
    system_prompt: 'You are a patient tutor. Explain step by step and ask back when a question is unclear.',
    prompt_template: 'Question of the student:\n\n{user_input}\n\nAnswer briefly and name what to read next.',
  },
  {
    id: 'starter-course-qa',
    type: 'classic',
    name: 'Course questions and answers',
    description: 'Answers from the knowledge bases of a course.',
    system_prompt: 'You answer questions about a university course. Say so when the material does not hold the answer.',
    prompt_template:
      'Course material:\n\n{context}\n\nQuestion of the student:\n\n{user_input}\n\nAnswer from the course material only and name the source.',
  },
  {
    id: 'starter-essay-feedback',
    type: 'multi_tool',
    name: 'Essay feedback',
    description: 'Course material and a rubric: feedback by criterion.',
    system_prompt:
      'You give feedback on student essays. Be kind and concrete, quote the passage you speak of, and never rewrite the essay.',
    prompt_template:
      'Course material:\n\n{1_context}\n\nRubric:\n\n{2_rubric}\n\nText of the student:\n\n{user_input}\n\nGive feedback criterion by criterion, then the one thing to improve first.',
  },
  {
    id: 'starter-research-desk',
    type: 'multi_tool',
    name: 'Research desk',
    description: 'Two knowledge bases side by side.',
    system_prompt: 'You compare sources. Keep apart what each says, and point out where they disagree.',
    prompt_template:
      'First collection:\n\n{1_context}\n\nSecond collection:\n\n{2_context}\n\nQuestion:\n\n{user_input}\n\nAnswer with references to both collections.',
  },
  {
    id: 'starter-document-guide',
    type: 'multi_tool',
    name: 'Document guide',
    description: 'One file, such as an assignment or a lab manual, beside the course material.',
    system_prompt: 'You help students to work with a document. Refer to its sections by name.',
    prompt_template:
      'Document:\n\n{1_file}\n\nCourse material:\n\n{2_context}\n\nQuestion of the student:\n\n{user_input}',
  },
];
