import type { StampedRunEvent, ToolRef } from '../kernel';
import { commentFrame, dataFrame } from '../platform/sse';
import type { ProgressMode } from './chat-request.schema';
import { withoutReasoning } from './plan-reasoning';

/** What a progress chunk needs to look like a chunk of the answer to come. */
export interface ChunkIdentity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
}

type Frame = (event: StampedRunEvent, identity: ChunkIdentity) => string;

const comment: Frame = (event) =>
  'message' in event && event.type !== 'run.failed' ? commentFrame(event.message) : '';

/** Events that tell of progress; deltas, sources, usage and the end are in the chunks of the answer itself. */
const isProgress = ({ type }: StampedRunEvent): boolean =>
  type.startsWith('tool.') ||
  ['run.progress', 'warning', 'prompt.ready', 'llm.started', 'llm.tool_call', 'plan.ready', 'answer.checked'].includes(
    type,
  );

const chunk: Frame = (event, { id, created, model }) =>
  isProgress(event)
    ? dataFrame(JSON.stringify({ id, object: 'chat.completion.chunk', created, model, choices: [], progress: event }))
    : '';

const statusFrame = (status: string, tool: string, message: string): string =>
  dataFrame(JSON.stringify({ type: 'status', status, tool, message }));

/** A function goes by the name that the model calls it by. */
const nameOf = ({ call, plugin }: ToolRef): string => call?.name ?? plugin;

/** Spec 002, "Status Messages". */
const status: Frame = (event) => {
  if (event.type === 'tool.started') return statusFrame('tool_call', nameOf(event), `🔧 Calling ${nameOf(event)}...`);
  if (event.type === 'tool.completed')
    return statusFrame('tool_complete', nameOf(event), `✅ ${nameOf(event)} completed`);
  if (event.type === 'tool.failed') return statusFrame('tool_error', nameOf(event), `❌ ${nameOf(event)} failed`);
  return '';
};

const FRAMES: Readonly<Record<ProgressMode, Frame>> = { comment, chunk, status, off: () => '' };

/** An event for those who may use the assistant, but not edit it. */
export const forUsers = (event: StampedRunEvent): StampedRunEvent =>
  event.type === 'plan.ready' ? (withoutReasoning(event) as StampedRunEvent) : event;

/** The frame of one event in the mode that the client asked for; '' when there is nothing to say. */
export const progressFrame = (mode: ProgressMode): Frame => FRAMES[mode];
