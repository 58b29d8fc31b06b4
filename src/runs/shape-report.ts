import { type Source, type SourcePassage, type VendorFailure, isJsonObject } from '@bellwether/kernel';
import { cut, storable } from './report-markdown';
import type {
  ReportCall,
  ReportMessage,
  ReportPromptPart,
  ReportResult,
  RunReport,
  ShapedReport,
} from './report.types';

const REDACTED = '[redacted]';

/**
 * Shapes of credentials, each linear: vendor keys, our own keys, bearer values, JWTs, private keys, passwords in URLs. Each
 * has a mark, which its texts contain, and the text that stands before it.
 */
const SHAPES = [
  { mark: 'sk-', shape: String.raw`\bsk-[A-Za-z0-9_-]{12,}` },
  { mark: 'bw_', shape: String.raw`\bbw_[A-Za-z0-9_]{16,}` },
  { mark: 'AIza', shape: String.raw`\bAIza[A-Za-z0-9_-]{20,}` },
  { mark: 'AKIA', shape: String.raw`\bAKIA[A-Z0-9]{12,}` },
  { mark: 'gh', shape: String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}` },
  { mark: 'xox', shape: String.raw`\bxox[abprs]-[A-Za-z0-9-]{10,}` },
  { mark: 'eyJ', shape: String.raw`\beyJ[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]*){0,2}` },
  { mark: 'earer ', before: String.raw`\b[Bb]earer `, shape: String.raw`[A-Za-z0-9._~+/=-]{12,}` },
  { mark: 'PRIVATE KEY', shape: String.raw`-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[A-Za-z0-9+/=\s-]*` },
  { mark: '://', before: '://', shape: String.raw`[^\s/@:]{1,256}:[^\s/@]{1,256}(?=@)` },
];

const ANY_SHAPE = new RegExp(
  SHAPES.map(({ before, shape }) => (before === undefined ? shape : `(?<=${before})${shape}`)).join('|'),
  'g',
);

/** The shapes one by one. Most texts have none, and this says so in a fifth of the time that all shapes at once take. */
const TESTS = SHAPES.map(({ mark, before = '', shape }) => ({ mark, test: new RegExp(`${before}${shape}`) }));

const hasShape = (text: string): boolean => TESTS.some(({ mark, test }) => text.includes(mark) && test.test(text));

const SECRET_NAME = /api[-_]?key|token$|secret|password|passwd|authorization|credential/i;

/** Shorter values would redact ordinary words. */
const MIN_SECRET = 6;

/** Replaces the given secrets, then everything that looks like a credential. */
export function redactText(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of secrets) {
    if (secret.length >= MIN_SECRET && result.includes(secret)) result = result.replaceAll(secret, REDACTED);
  }
  return hasShape(result) ? result.replace(ANY_SHAPE, REDACTED) : result;
}

const MAX_DEPTH = 8;

/** A copy with redacted texts. A text under a name such as `api_key` is replaced as a whole. */
function redactJson(value: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof value === 'string') return redactText(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((item) => redactJson(item, secrets, depth + 1));
  if (!isJsonObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    const named = typeof member === 'string' && SECRET_NAME.test(name);
    copy[name] = named ? REDACTED : redactJson(member, secrets, depth + 1);
  }
  return copy;
}

/** Longest parts of a report, in characters and items. `part` and `prompt` limit the parts of the filled template. */
export const REPORT_LIMITS = {
  userText: 200,
  preview: 500,
  message: 300,
  sources: 10,
  messages: 50,
  part: 2_000,
  prompt: 20_000,
  parts: 500,
  passages: 100,
  passage: 4_000,
  passageTexts: 100_000,
  /** All messages together. */
  messageTexts: 20_000,
} as const;

type ReportLimits = { readonly [Name in keyof typeof REPORT_LIMITS]: number };

/** The stored report keeps more than the verbose answer shows: editors open the steps of a run. */
export const STORED_LIMITS: ReportLimits = {
  ...REPORT_LIMITS,
  userText: 4_000,
  preview: 4_000,
  message: 4_000,
  messageTexts: 60_000,
};

const MAX_WARNINGS = 50;
const MAX_FUNCTIONS = 128;
const MAX_CALLS = 100;
const MAX_LINE = 500;
/** Redaction reads this far beyond a cut: a secret that is cut in half would be missed. */
const LOOKAHEAD = 256;

type Text = (text: string, max: number) => string;

function textShaper(secrets: readonly string[]): Text {
  const lookahead = secrets.reduce((longest, secret) => Math.max(longest, secret.length), LOOKAHEAD);
  return (text, max) => {
    const window = text.length > max + lookahead ? text.slice(0, max + lookahead) : text;
    const shaped = cut(storable(redactText(window, secrets)), max);
    return text.length > window.length && !shaped.endsWith('...') ? `${shaped}...` : shaped;
  };
}

/** Returns the same object when none of its texts holds a secret. */
export function shapeSource(source: Source, secrets: readonly string[]): Source {
  let shaped = source;
  for (const name of Object.keys(source)) {
    const value: unknown = source[name as keyof Source];
    if (typeof value !== 'string') continue;
    const text = redactText(value, secrets);
    if (text !== value) shaped = { ...shaped, [name]: text };
  }
  return shaped;
}

/** The first passages that fit, each shortened. */
export function shapePassages(passages: readonly SourcePassage[], secrets: readonly string[]): SourcePassage[] {
  const text = textShaper(secrets);
  const shaped: SourcePassage[] = [];
  let left: number = REPORT_LIMITS.passageTexts;
  for (const passage of passages.slice(0, REPORT_LIMITS.passages)) {
    const max = Math.min(REPORT_LIMITS.passage, left);
    if (max === 0) break;
    left -= Math.min(max, passage.text.length);
    shaped.push({ ...passage, title: text(passage.title, MAX_LINE), text: text(passage.text, max) });
  }
  return shaped;
}

const callShaper =
  (text: Text, limits: ReportLimits) =>
  (call: ReportCall): ReportCall => ({
    ...call,
    arguments: text(call.arguments, limits.userText),
    preview: text(call.preview, limits.preview),
  });

/** A slot that no tool filled holds the user's text. */
const partLimit = ({ slot, index }: ReportPromptPart, { userText, part }: ReportLimits): number =>
  slot !== undefined && index === undefined ? userText : part;

function shapePrompt(
  prompt: readonly ReportPromptPart[],
  text: Text,
  limits: ReportLimits,
): readonly ReportPromptPart[] {
  let left: number = REPORT_LIMITS.prompt;
  return prompt.slice(0, REPORT_LIMITS.parts).map((part) => {
    const max = Math.min(partLimit(part, limits), left);
    left -= Math.min(part.text.length, max);
    return { ...part, text: max === 0 ? '' : text(part.text, max) };
  });
}

const shapeVendor = (failure: VendorFailure, text: Text): VendorFailure =>
  failure.message === null ? failure : { ...failure, message: text(failure.message, MAX_LINE) };

/** The first message and the latest ones, so that long conversations do not become reports of megabytes. */
function chosen(messages: readonly ReportMessage[]): readonly ReportMessage[] {
  if (messages.length <= REPORT_LIMITS.messages) return messages;
  return [...messages.slice(0, 1), ...messages.slice(1 - REPORT_LIMITS.messages)];
}

function shapeMessages(
  messages: readonly ReportMessage[],
  text: Text,
  { message, messageTexts }: ReportLimits,
): readonly ReportMessage[] {
  let left = messageTexts;
  return chosen(messages).map(({ role, content }) => {
    const max = Math.min(message, left);
    left -= Math.min(max, content.length);
    return { role, content: max === 0 ? '' : text(content, max) };
  });
}

function searchOf({ search }: Pick<ReportResult, 'search'>, text: (words: string) => string) {
  if (search === undefined) return {};
  const { searched_for: words, ...rest } = search;
  return { search: words === undefined ? rest : { ...rest, searched_for: text(words) } };
}

/** Cuts, counts and redacts a report; safe to apply twice. `sources` are passed when they are redacted already. */
export function shapeReport(
  report: RunReport,
  secrets: readonly string[],
  sources: readonly Source[] = report.sources.map((source) => shapeSource(source, secrets)),
  limits: ReportLimits = REPORT_LIMITS,
): ShapedReport {
  const text = textShaper(secrets);
  const known = 'totals' in report ? (report as ShapedReport).totals : null;
  return {
    created_at: report.created_at,
    orchestrator: report.orchestrator,
    assistant: { ...report.assistant, name: text(report.assistant.name, MAX_LINE) },
    request: { ...report.request, user_message: text(report.request.user_message, limits.userText) },
    tools: report.tools.map((tool) => ({ ...tool, config: redactJson(tool.config, secrets) })),
    results: report.results.map((result) => ({
      ...result,
      preview: text(result.preview, limits.preview),
      ...(result.message === undefined ? {} : { message: text(result.message, MAX_LINE) }),
      ...(result.query === undefined ? {} : { query: text(result.query, limits.userText) }),
      ...searchOf(result, (words) => text(words, limits.userText)),
    })),
    sources: sources.slice(0, limits.sources),
    messages: shapeMessages(report.messages, text, limits),
    ...(report.prompt === undefined ? {} : { prompt: shapePrompt(report.prompt, text, limits) }),
    warnings: report.warnings.slice(0, MAX_WARNINGS).map((warning) => text(warning, MAX_LINE)),
    ...(report.stages === undefined ? {} : { stages: report.stages }),
    ...(report.plan === undefined
      ? {}
      : { plan: { ...report.plan, reasoning: text(report.plan.reasoning, MAX_LINE) } }),
    ...(report.functions === undefined ? {} : { functions: report.functions.slice(0, MAX_FUNCTIONS) }),
    ...(report.calls === undefined ? {} : { calls: report.calls.slice(0, MAX_CALLS).map(callShaper(text, limits)) }),
    ...(report.vendor_failure === undefined ? {} : { vendor_failure: shapeVendor(report.vendor_failure, text) }),
    totals: known ?? { sources: report.sources.length, messages: report.messages.length },
  };
}
