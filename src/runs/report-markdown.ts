import {
  type BoundedTry,
  type ChatMessage,
  type ContentPart,
  type KnowledgeBaseSource,
  type LanguageGap,
  type Source,
  type ToldSearch,
  isTextPart,
} from '@bellwether/kernel';
import type { Segment } from '@bellwether/kernel/templates';
import type {
  ReportCall,
  ReportMessage,
  ReportPromptPart,
  ReportResult,
  ReportTool,
  ShapedReport,
} from './report.types';

const describe = (part: ContentPart): string => (isTextPart(part) ? part.text : `[${part.type}]`);

/** A message as text. Images and audio become their type in brackets, never their data. */
export function reportMessage(message: ChatMessage): ReportMessage {
  const { content } = message;
  if (typeof content === 'string') return { role: message.role, content };
  if (Array.isArray(content)) return { role: message.role, content: content.map(describe).join('\n') };
  const calls = message.tool_calls?.map((call) => `[tool call ${call.function.name}]`) ?? [];
  return { role: message.role, content: calls.join('\n') };
}

/** The content of a slot, and the index of the tool that filled it. */
export interface SlotContent {
  readonly text: string;
  readonly index?: number;
}

/** The parts of a filled template, as references to the texts. Unfilled slots have an empty text. */
export const reportPrompt = (
  segments: readonly Segment[],
  contentOf: (slot: string) => SlotContent | undefined,
): readonly ReportPromptPart[] =>
  segments.map((segment) => {
    if (segment.kind === 'literal') return { text: segment.text, chars: segment.text.length };
    const { text = '', index } = contentOf(segment.slot.name) ?? {};
    return { slot: segment.slot.name, ...(index === undefined ? {} : { index }), text, chars: text.length };
  });

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Cuts to at most `max` UTF-16 units and `...`, never between the halves of a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? max - 1 : max;
  return `${text.slice(0, end)}...`;
}

/** Replaces NUL and lone surrogates, which PostgreSQL's text and jsonb refuse or change, by U+FFFD. */
export function storable(text: string): string {
  const whole = text.isWellFormed() ? text : text.replace(LONE_SURROGATE, '\uFFFD');
  return whole.includes('\u0000') ? whole.replaceAll('\u0000', '\uFFFD') : whole;
}

/** The fence is longer than any run of backticks in the content, which cannot end its own block. */
function fenced(content: string, language = ''): string {
  const longest = (content.match(/`{3,}/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${content}\n${fence}`;
}

const NO_CONTENT = 'No content';

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const slotType = (placeholder: string): string => placeholder.replace(/^\d+_/, '');

const heading = ({ placeholder, plugin }: ReportResult): string =>
  placeholder === null ? `### ${plugin}` : `### ${placeholder} (${slotType(placeholder)})`;

const toolSection = (tool: ReportTool): string[] => [
  `### Tool ${tool.index + 1}: ${oneLine(tool.plugin)}`,
  `- **Placeholder:** ${tool.placeholder === null ? 'none' : `\`${oneLine(tool.placeholder)}\``}`,
  `- **Enabled:** ${tool.enabled}`,
  '- **Configuration:**',
  fenced(JSON.stringify(tool.config, null, 2), 'json'),
];

const boundedLine = ({ after_ms, longest_ms, tries }: BoundedTry): string =>
  `- **Try Ended Early:** after ${after_ms} ms; the last ${tries} tries took ${longest_ms} ms at most`;

const searchLines = ({ match, searched_for: words, languages }: ToldSearch): string[] => [
  ...(words === undefined ? [] : [`- **Searched For:** ${oneLine(words)}`]),
  ...(match === undefined ? [] : [`- **Match:** ${match.weak ? 'weak' : 'good'} (${match.strength})`]),
  ...(languages === undefined ? [] : [`- **Languages:** ${languagesLine(languages)}`]),
];

const languagesLine = ({ question, material, bridge }: LanguageGap): string =>
  `question ${question}, material ${material.join(', ')}; ${bridge === null ? 'not translated' : `bridged by ${bridge}`}`;

const resultSection = (result: ReportResult): string[] => [
  heading(result),
  `- **Status:** ${result.status}${result.code === undefined ? '' : ` (${result.code})`}`,
  ...(result.message === undefined ? [] : [`- **Reason:** ${oneLine(result.message)}`]),
  ...(result.query === undefined ? [] : [`- **Query:** ${oneLine(result.query)}`]),
  ...(result.search === undefined ? [] : searchLines(result.search)),
  `- **Duration:** ${result.duration_ms.toFixed(1)} ms`,
  ...((result.retries ?? 0) === 0 ? [] : [`- **Retries:** ${result.retries}`]),
  ...(result.bounded === undefined ? [] : [boundedLine(result.bounded)]),
  `- **Content Length:** ${result.chars} characters`,
  `- **Has Sources:** ${result.sources > 0}`,
  '- **Content Preview:**',
  fenced(result.preview === '' ? NO_CONTENT : result.preview),
];

function placeLines({ knowledge_base, page, page_end, place, section }: KnowledgeBaseSource): string[] {
  const pages = page_end === undefined ? `${page}` : `${page}–${page_end}`;
  return [
    ...(knowledge_base === undefined ? [] : [`- **Knowledge Base:** ${oneLine(knowledge_base.name)}`]),
    ...(page === undefined ? [] : [`- **Page:** ${pages}`]),
    ...(place === undefined ? [] : [`- **Place:** ${oneLine(place.text)}`]),
    ...(section === undefined ? [] : [`- **Section:** ${oneLine(section)}`]),
  ];
}

function sourceLines(source: Source): string[] {
  switch (source.type) {
    case 'knowledge_base':
      return [
        `- **Title:** ${oneLine(source.title)}`,
        `- **URL:** ${oneLine(source.url)}`,
        `- **Similarity:** ${source.similarity}`,
        ...placeLines(source),
      ];
    case 'rubric':
      return [`- **Title:** ${oneLine(source.title)}`, `- **Rubric:** ${oneLine(source.rubric_id)} (${source.format})`];
    case 'file':
      return [
        `- **Path:** ${oneLine(source.path)}`,
        `- **Characters:** ${source.chars}${source.truncated ? ' (truncated)' : ''}`,
      ];
  }
}

/** Results with personal data have a length but no preview. */
const callPreview = ({ preview, chars }: ReportCall): string[] =>
  preview === '' && chars > 0 ? [] : [fenced(preview === '' ? NO_CONTENT : preview)];

const callSection = (call: ReportCall): string[] => [
  `### Call ${call.index + 1}: ${oneLine(call.name)}`,
  `- **Round:** ${call.round}`,
  `- **Status:** ${call.status}${call.code === undefined ? '' : ` (${call.code})`}${call.cached ? ', as before' : ''}`,
  `- **Duration:** ${call.duration_ms.toFixed(1)} ms`,
  '- **Arguments:**',
  fenced(call.arguments, 'json'),
  `- **Result:** ${call.chars} characters`,
  ...callPreview(call),
];

const planSection = ({ stages, plan }: ShapedReport): string[] =>
  stages === undefined || stages.length === 0
    ? []
    : [
        '## Execution Plan',
        ...stages.map((stage, n) => `- **Stage ${n + 1}:** ${oneLine(stage.join(', '))}`),
        ...(plan === undefined
          ? []
          : [
              ...plan.steps.map(({ id, plugin, placeholder }) =>
                oneLine(`- **${id}:** ${plugin}${placeholder === null ? '' : ` → ${placeholder}`}`),
              ),
              `- **Planner:** ${plan.planner}${plan.cached ? ' (as for a similar question)' : ''}`,
              `- **Confidence:** ${plan.confidence}`,
              `- **Reasoning:** ${oneLine(plan.reasoning)}`,
            ]),
        '',
      ];

const functionSections = ({ functions, calls = [] }: ShapedReport): string[] =>
  functions === undefined
    ? []
    : [
        '## Functions Offered to the LLM',
        ...(functions.length === 0
          ? ['No functions.']
          : functions.map(({ name, plugin }) => `- \`${name}\` (${plugin})`)),
        ...(calls.length === 0 ? [] : ['', '## Function Calls', ...calls.flatMap(callSection)]),
        '',
      ];

const more = (total: number, shown: number, what: string): string[] =>
  total > shown ? [`*... and ${total - shown} more ${what}*`] : [];

const vendorSection = ({ vendor_failure: failure }: ShapedReport): string[] =>
  failure === undefined
    ? []
    : [
        '## Model Vendor Failure',
        `- **Status:** ${failure.status ?? 'no answer'}`,
        `- **Message:** ${failure.message === null ? 'none' : oneLine(failure.message)}`,
        `- **Request Id:** ${failure.request_id ?? 'none'}`,
        `- **Retries:** ${failure.retries}`,
        '',
      ];

/** The report as Markdown, for verbose answers and `/runs/{id}/report`. */
export function reportMarkdown(report: ShapedReport): string {
  const lines = [
    report.assistant.type === 'classic' ? '# Classic Pipeline Report' : '# Multi-Tool Orchestration Report',
    `**Timestamp:** ${report.created_at}`,
    `**Orchestrator:** ${report.orchestrator ?? 'none'}`,
    `**Assistant:** ${oneLine(report.assistant.name)}`,
    '',
    '## Request Summary',
    `- **User Message:** ${oneLine(report.request.user_message)}`,
    `- **Stream Mode:** ${report.request.stream}`,
    '',
    '## Tool Configuration',
    ...(report.tools.length === 0 ? ['No tools.'] : report.tools.flatMap(toolSection)),
    '',
    ...planSection(report),
    '## Tool Execution Results',
    ...(report.results.length === 0 ? ['No results.'] : report.results.flatMap(resultSection)),
    '',
    ...functionSections(report),
    '## Sources Summary',
    `- **Total Sources:** ${report.totals.sources}`,
    ...report.sources.flatMap((source, n) => [`### Source ${n + 1}`, ...sourceLines(source)]),
    ...more(report.totals.sources, report.sources.length, 'sources'),
    '',
    ...vendorSection(report),
    ...(report.warnings.length === 0
      ? []
      : ['## Warnings', ...report.warnings.map((text) => `- ${oneLine(text)}`), '']),
    '## Final Messages Sent to LLM',
    ...report.messages.flatMap((message, n) => [
      `### Message ${n + 1} (${oneLine(message.role)})`,
      fenced(message.content),
    ]),
    ...more(report.totals.messages, report.messages.length, 'messages'),
  ];
  return `${lines.join('\n')}\n`;
}
