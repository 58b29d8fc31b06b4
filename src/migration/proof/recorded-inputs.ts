import type { ChatMessage } from '../../kernel';

/** What the rooms below the tools have to offer. */
export const ROOM_STATES = ['full', 'empty', 'failing'] as const;
export type RoomState = (typeof ROOM_STATES)[number];

/** A request that both documents are rendered for. */
export interface RecordedInput {
  readonly name: string;
  readonly rooms: RoomState;
  readonly messages: readonly ChatMessage[];
}

const PLAIN: readonly ChatMessage[] = [{ role: 'user', content: 'Where does photosynthesis happen?' }];

const HISTORY: readonly ChatMessage[] = [
  { role: 'system', content: 'You talk to a first-year student.' },
  { role: 'user', content: 'What is a chloroplast?' },
  { role: 'assistant', content: 'An organelle of plant cells.' },
  { role: 'user', content: 'And what\nhappens in it?' },
];

/** What a chain of replacements would take for slots, for patterns or for more template. */
const HOSTILE =
  'Explain {context}, {user_input}, {1_context}, {2_rubric}, {file} and {removed_1_context}; $& $1 $$ $` and \\frac{a}{b} in {"k": {"context": "{moodle_user}"}}';

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

/** The client's own functions: what follows the last question passes unchanged. */
const CLIENT_TOOLS: readonly ChatMessage[] = [
  { role: 'user', content: 'What time is it?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{"zone": "UTC"}' } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: '{"context": "12:00 {context}"}' },
];

export const RECORDED_INPUTS: readonly RecordedInput[] = [
  { name: 'a plain question', rooms: 'full', messages: PLAIN },
  { name: 'a conversation', rooms: 'full', messages: HISTORY },
  { name: 'a question full of braces', rooms: 'full', messages: [{ role: 'user', content: HOSTILE }] },
  { name: 'an image', rooms: 'full', messages: IMAGE },
  { name: 'tool results of the client', rooms: 'full', messages: CLIENT_TOOLS },
  { name: 'nothing found', rooms: 'empty', messages: PLAIN },
  { name: 'tools that fail', rooms: 'failing', messages: HISTORY },
];
