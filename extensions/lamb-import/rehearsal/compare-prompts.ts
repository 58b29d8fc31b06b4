import { type ChatMessage, isJsonObject, textOf } from '@bellwether/kernel';
import type { PreparedPrompt, ReportResult, RunReport } from '../../../src/runs';
import type { Comparison, KnownReason } from './rehearsal.types';

/** A message of a prompt with its text alone. */
export interface PromptMessage {
  readonly role: string;
  readonly text: string;
}

const BEGINNING = 'Messages:\n';
const SEPARATOR = '\n\nBody:\n';

/**
 * The messages in an answer with `debug_bypass`, whose content is `Messages:`, JSON, `Body:`, JSON. null for any other
 * answer.
 */
export function promptInAnswer(answer: unknown): readonly PromptMessage[] | null {
  const content = contentOf(answer);
  if (content?.startsWith(BEGINNING) !== true) return null;
  // Strings in JSON hold no line breaks, so it occurs once.
  const end = content.indexOf(SEPARATOR);
  if (end < 0) return null;
  try {
    const messages: unknown = JSON.parse(content.slice(BEGINNING.length, end));
    return Array.isArray(messages) ? messages.map(messageOf) : null;
  } catch {
    return null;
  }
}

function contentOf(answer: unknown): string | null {
  const choices = isJsonObject(answer) ? answer['choices'] : null;
  const first: unknown = Array.isArray(choices) ? choices[0] : null;
  const message = isJsonObject(first) ? first['message'] : null;
  const content = isJsonObject(message) ? message['content'] : null;
  return typeof content === 'string' ? content : null;
}

function messageOf(message: unknown): PromptMessage {
  const { role, content } = isJsonObject(message) ? message : {};
  return { role: typeof role === 'string' ? role : '', text: textIn(content) };
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content);
  return content
    .map((part: unknown) =>
      isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part),
    )
    .join(' ');
}

/** Longer texts are compared by their first lines that differ. */
const COMPARED_LINES = 300;
const CONTEXT = 1;

/**
 * Lines of a unified diff from `before` to `after`, at most `maxLines` of `maxChars`. Equal lines far from a change are
 * left out.
 */
function lineDiff(before: string, after: string, maxLines = 40, maxChars = 200): readonly string[] {
  const [one, other] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  const shortest = Math.min(one.length, other.length) - start;
  while (end < shortest && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const lines = [
    ...one.slice(Math.max(0, start - CONTEXT), start).map((text) => ` ${text}`),
    ...changes(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    ...one.slice(one.length - end, one.length - end + CONTEXT).map((text) => ` ${text}`),
  ];
  const shown = lines.slice(0, maxLines).map((text) => cut(text, maxChars));
  return lines.length > maxLines ? [...shown, `… ${lines.length - maxLines} more lines`] : shown;
}

const cut = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars).toWellFormed()}…`;

/** Longest common subsequence of lines; the rest of long texts is taken as replaced. */
function changes(before: readonly string[], after: readonly string[]): string[] {
  const one = before.slice(0, COMPARED_LINES);
  const other = after.slice(0, COMPARED_LINES);
  const lengths = commonLengths(one, other);
  const at = (row: number, column: number): number => lengths[row * (other.length + 1) + column] ?? 0;
  const lines: string[] = [];
  let [row, column] = [0, 0];
  while (row < one.length || column < other.length) {
    if (row < one.length && column < other.length && one[row] === other[column]) {
      lines.push(` ${one[row] ?? ''}`);
      row += 1;
      column += 1;
    } else if (column === other.length || (row < one.length && at(row + 1, column) >= at(row, column + 1))) {
      lines.push(`-${one[row] ?? ''}`);
      row += 1;
    } else {
      lines.push(`+${other[column] ?? ''}`);
      column += 1;
    }
  }
  const rest = [
    ...before.slice(COMPARED_LINES).map((text) => `-${text}`),
    ...after.slice(COMPARED_LINES).map((text) => `+${text}`),
  ];
  return [...lines, ...rest];
}

function commonLengths(one: readonly string[], other: readonly string[]): Uint16Array {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        one[row] === other[column]
          ? (lengths[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0);
    }
  }
  return lengths;
}

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
