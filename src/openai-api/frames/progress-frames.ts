import type { StampedRunEvent, ToolRef } from '../../kernel';
import { commentFrame, dataFrame } from '../../infrastructure/sse';
import type { ChunkIdentity } from './chunk-identity';
import type { ProgressMode } from '../../answering';

type Frame = (event: StampedRunEvent, identity: ChunkIdentity) => string;

const comment: Frame = (event) =>
  'message' in event && event.type !== 'run.failed' ? commentFrame(event.message) : '';

/** Progress events. Deltas, sources, usage and the end are in the answer's own chunks. */
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

/** Functions have the name that the model uses. */
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

/** Frames of events in the client's progress mode; '' for none. */
export const progressFrame = (mode: ProgressMode): Frame => FRAMES[mode];
