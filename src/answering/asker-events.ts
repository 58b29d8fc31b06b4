import type { Source, StampedRunEvent } from '@bellwether/kernel';
import type { LoggedEvent } from '../runs';
import { forOutsiders } from './told-events';

const EVERY = ['run_id', 'seq', 'at', 'type'];
/** Their values are neutral: `forOutsiders`. */
const TOOL = ['index', 'plugin', 'placeholder', 'call', 'message'];

/** An allowlist by event type, so that new members stay hidden until they are added here. */
const READ: Readonly<Record<string, readonly string[]>> = {
  'run.started': ['assistant_id', 'assistant_type'],
  'run.progress': ['message'],
  warning: [],
  'tool.started': TOOL,
  'tool.progress': TOOL,
  'tool.retry': TOOL,
  'tool.skipped': TOOL,
  'tool.completed': [...TOOL, 'sources', 'search'],
  'tool.failed': TOOL,
  'plan.ready': ['steps', 'stages', 'message'],
  'prompt.ready': [],
  'answer.checked': ['index', 'plugin', 'placeholder', 'message'],
  'llm.started': ['round'],
  'llm.tool_call': ['id', 'name', 'round'],
  'llm.delta': ['text'],
  sources: ['sources'],
  usage: [],
  'run.completed': ['finish_reason'],
  'run.failed': ['code', 'message'],
  'run.cancelled': ['reason'],
};

/** Stands for the message of a failure, which may name tools, models and slots. */
export const FAILED_FOR_ASKERS = 'The answer could not be completed';

/**
 * An event for callers who may not edit the assistant: that work goes on, the answer, its sources and its end. Names,
 * models, slots, tokens, figures and warnings are for people who can change something.
 */
export function forAskers(event: StampedRunEvent): StampedRunEvent {
  const read = new Set([...EVERY, ...(READ[event.type] ?? [])]);
  const told = Object.entries(forOutsiders(event)).filter(([member]) => read.has(member));
  return { ...Object.fromEntries(told), ...replaced(event) } as unknown as StampedRunEvent;
}

function replaced(event: StampedRunEvent): object {
  if (event.type === 'sources') return { sources: event.sources.map(withoutFigures) };
  return event.type === 'run.failed' ? { message: FAILED_FOR_ASKERS } : {};
}

/** A logged event for such callers. It keeps its id. `shown`: the knowledge bases whose passages they may read. */
export function loggedForAskers(event: LoggedEvent, shown: ReadonlySet<string>): LoggedEvent {
  if (event.type === 'llm.delta') return event;
  const told = forAskers(JSON.parse(event.data) as StampedRunEvent);
  const read = told.type === 'sources' ? { ...told, sources: sourcesForAskers(told.sources, shown) } : told;
  return { ...event, data: JSON.stringify(read) };
}

/**
 * Sources without figures, which mean nothing to readers. A document whose passages are hidden has no link: it would show
 * all of them.
 */
export const sourcesForAskers = (sources: readonly Source[], shown: ReadonlySet<string>): readonly Source[] =>
  sources.map((source) => {
    const read = withoutFigures(source);
    return knowledgeBasesIn([source]).some((id) => !shown.has(id)) ? withoutLink(read) : read;
  });

/** Ids of the knowledge bases that sources come from. */
export const knowledgeBasesIn = (sources: readonly Source[]): readonly string[] =>
  sources.flatMap((source) =>
    source.type === 'knowledge_base' && source.knowledge_base !== undefined ? [source.knowledge_base.id] : [],
  );

function withoutFigures(source: Source): Source {
  const {
    similarity: _similarity,
    chars: _chars,
    ...rest
  } = source as Source & { similarity?: number; chars?: number };
  return rest as Source;
}

function withoutLink(source: Source): Source {
  const { url: _url, ...rest } = source as Source & { url?: string };
  return rest as Source;
}
