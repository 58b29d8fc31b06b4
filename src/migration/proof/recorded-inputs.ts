import type { ChatMessage } from '@bellwether/kernel';

/** Results of the services that tools read. */
export const CONTENT_STATES = ['full', 'empty', 'failing'] as const;
export type ContentState = (typeof CONTENT_STATES)[number];

export interface RecordedInput {
  readonly name: string;
  readonly content: ContentState;
  readonly messages: readonly ChatMessage[];
}

const PLAIN: readonly ChatMessage[] = [{ role: 'user', content: 'Where does photosynthesis happen?' }];

/** Text that a naive replacement would read as slots, patterns or more template. */
const HOSTILE =
  'Explain {context}, {user_input}, {1_context}, {2_rubric}, {file} and {removed_1_context}; $& $1 $$ $` and \\frac{a}{b} in {"k": {"context": "{moodle_user}"}}';

/** Function calls of the client after the last question pass unchanged. */
const CONVERSATION: readonly ChatMessage[] = [
  { role: 'system', content: 'You talk to a first-year student.' },
  { role: 'user', content: 'What is a chloroplast?' },
  { role: 'assistant', content: 'An organelle of plant cells.' },
  { role: 'user', content: 'And what\nhappens in it?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{"zone": "UTC"}' } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: '{"context": "12:00 {context}"}' },
];

const IMAGE: readonly ChatMessage[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What does this' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      { type: 'text', text: 'show?' },
    ],
  },
];

/** Few, because every assistant is rendered twice for each. */
export const RECORDED_INPUTS: readonly RecordedInput[] = [
  { name: 'a question full of braces', content: 'full', messages: [{ role: 'user', content: HOSTILE }] },
  { name: 'a conversation with tool results of the client', content: 'full', messages: CONVERSATION },
  { name: 'an image', content: 'full', messages: IMAGE },
  { name: 'nothing found', content: 'empty', messages: PLAIN },
  { name: 'tools that fail', content: 'failing', messages: PLAIN },
];
