import { type ChatMessage, textOf } from '../../../src/kernel';
import type { PreparedPrompt, ReportResult, RunReport } from '../../../src/runs';
import type { PromptMessage } from './lamb-prompt';
import { lineDiff } from './line-diff';
import type { Comparison, KnownReason } from './rehearsal.types';

/** Settings of the assistant that explain differences. */
export interface ComparedAssistant {
  /** LAMB's `rag_processor` and `prompt_processor`; empty when unknown. */
  readonly rag: string;
  readonly prompt: string;
  readonly topK: number;
}

const SOURCES_HEADING = '## Available Sources';
/** Top-k values that the import keeps. */
const TOP_K = { least: 1, most: 20 } as const;
/** Beginnings of the sentences that LAMB puts into a prompt when its retrieval fails (LAMB, RAG processors). */
const LAMB_ERRORS = ['ERROR: ', 'Error: ', 'No RAG collections specified'] as const;

const REASONS = {
  'rubric.text':
    'The text of the rubric is written by this service; the parts are the same, and the guide tells where marks differ.',
  'file.line_ends': 'The texts differ only in line ends and blanks.',
  'sources.list': 'The material is the same; the list of sources has other titles, links or similarities.',
  'top_k.limited': 'The number of passages is limited to 1–20 here.',
  'passages.other': 'Other passages were found, or in another order.',
  'question.rewritten': 'A model rewrites the question before the search, on both sides, and not always equally.',
  'question.braces': 'A placeholder in the question is not filled here.',
  'asker.other': 'The prompt names the person who asks, who differs.',
  'content.only_here': 'LAMB found nothing; here something was found.',
  'content.only_there': 'LAMB found something; here nothing was found.',
} as const;
type ReasonCode = keyof typeof REASONS;

const reason = (code: ReasonCode): KnownReason => ({ code, message: REASONS[code] });

/** Compares the messages for the model, LAMB's with ours. */
export function comparePrompts(
  there: readonly PromptMessage[],
  { messages, report }: Pick<PreparedPrompt, 'messages' | 'report'>,
  assistant: ComparedAssistant,
): Comparison {
  const here = messages.map(({ role, content }: ChatMessage) => ({ role, text: textOf(content) }));
  const [theirs, ours] = [shown(there), shown(here)];
  if (theirs === ours) return { outcome: 'same', reasons: [], diff: [] };
  if (spaced(theirs) === spaced(ours)) return { outcome: 'spaces', reasons: [reason('file.line_ends')], diff: [] };
  return {
    outcome: 'different',
    reasons: reasonsOf({ theirs, ours }, report, assistant),
    diff: lineDiff(theirs, ours),
  };
}

/** One text for comparison and diff: a line with the role before each message. */
const shown = (messages: readonly PromptMessage[]): string =>
  messages.map(({ role, text }) => `[${role}]\n${text}`).join('\n');

const spaced = (text: string): string =>
  text
    .replace(/^\uFEFF/, '')
    .replace(/\s+/g, ' ')
    .trim();

interface Sides {
  readonly theirs: string;
  readonly ours: string;
}

function reasonsOf(sides: Sides, report: RunReport, assistant: ComparedAssistant): readonly KnownReason[] {
  const middle = differing({ theirs: spaced(sides.theirs), ours: spaced(sides.ours) });
  const found = new Set<ReasonCode>();
  const question = report.request.user_message;
  if (/\{(?:context|user_input)\}/.test(question)) found.add('question.braces');
  if (assistant.prompt === 'moodle_augment') found.add('asker.other');
  if (isInContent(middle, sides, report)) for (const code of contentReasons(middle, sides, assistant)) found.add(code);
  return [...found].map(reason).concat(failuresHere(report), failuresThere(sides));
}

/** Both texts without their common beginning and end, and the length of that beginning. */
function differing({ theirs, ours }: Sides): Sides & { readonly start: number } {
  const shortest = Math.min(theirs.length, ours.length);
  let start = 0;
  while (start < shortest && theirs[start] === ours[start]) start += 1;
  let end = 0;
  while (end < shortest - start && theirs.at(-1 - end) === ours.at(-1 - end)) end += 1;
  return { theirs: theirs.slice(start, theirs.length - end), ours: ours.slice(start, ours.length - end), start };
}

/** True when all that differs here is material of a tool or the list of its sources. */
function isInContent(
  middle: ReturnType<typeof differing>,
  { ours }: Sides,
  { prompt = [], sources }: RunReport,
): boolean {
  if (middle.ours.trim() === '') return true;
  const text = spaced(ours);
  return prompt
    .filter(({ slot, index }) => slot !== undefined && index !== undefined)
    .some((part) => {
      const content = spaced(part.text);
      const at = text.indexOf(content);
      if (content === '' || at < 0) return false;
      const listed = sources.length === 0 ? -1 : text.indexOf(SOURCES_HEADING, at);
      const end = listed < 0 ? at + content.length : text.length;
      return middle.start >= at - 1 && middle.start + middle.ours.length <= end;
    });
}

function contentReasons(middle: Sides, sides: Sides, { rag, topK }: ComparedAssistant): readonly ReasonCode[] {
  if (rag === 'rubric_rag') return ['rubric.text'];
  if (middle.theirs.trim() === '') return ['content.only_here'];
  if (middle.ours.trim() === '') return ['content.only_there'];
  if (withoutSources(sides.theirs) === withoutSources(sides.ours)) return ['sources.list'];
  if (!isSearch(rag)) return [];
  return [
    ...(topK < TOP_K.least || topK > TOP_K.most ? (['top_k.limited'] as const) : []),
    ...(rag === 'simple_rag' ? [] : (['question.rewritten'] as const)),
    'passages.other',
  ];
}

const isSearch = (rag: string): boolean => ['simple_rag', 'context_aware_rag', 'hierarchical_rag'].includes(rag);

/** Lines of the list of sources removed, wherever it is. */
const withoutSources = (text: string): string =>
  spaced(text.replace(/^\d+\. \[[^\n]*\]\([^\n]*\) \(similarity: [^\n]*\)$/gm, '').replaceAll(SOURCES_HEADING, ''));

const failuresHere = ({ results }: RunReport): readonly KnownReason[] =>
  results
    .filter(({ status }: ReportResult) => status === 'failed')
    .map(({ plugin, code = '', message = '' }) => ({
      code: 'tool.failed_here',
      message: `${plugin} failed here: ${[code, message].filter((part) => part !== '').join(', ')}`,
    }));

function failuresThere({ theirs, ours }: Sides): readonly KnownReason[] {
  const before = new Set(ours.split('\n'));
  const line = theirs
    .split('\n')
    .find((each) => LAMB_ERRORS.some((beginning) => each.startsWith(beginning)) && !before.has(each));
  if (line === undefined) return [];
  return [{ code: 'tool.failed_there', message: `LAMB put an error sentence into the prompt: ${line.slice(0, 200)}` }];
}
