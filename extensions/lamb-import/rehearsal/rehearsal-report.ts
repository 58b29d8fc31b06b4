import { AppError, type JsonObject, isJsonObject, snakeCased } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import {
  OUTCOMES,
  type Outcome,
  type RehearsalReport,
  type RehearsedPair,
  type RehearsedQuestion,
} from './rehearsal.types';

const FORMAT = 1;

interface StateHeader {
  readonly address: string;
  readonly source: string;
}

const keyOf = ({ assistant, text }: RehearsedQuestion): string =>
  `${assistant} ${createHash('sha256').update(text).digest('hex')}`;

const refused = (file: string, why: string): AppError =>
  new AppError('conflict', `${file} ${why}; give another --report, or remove that file to begin again`);

/**
 * The results so far, as JSON lines: a header, then one line for each pair. A line is appended after each question, so
 * that a killed rehearsal continues; a torn last line is dropped.
 */
export class RehearsalState {
  private readonly pairs = new Map<string, RehearsedPair>();

  /** @throws {AppError} `conflict` for the state of another rehearsal, or for no state file */
  constructor(
    private readonly file: string,
    header: StateHeader,
    readonly startedAt = new Date().toISOString(),
  ) {
    if (!existsSync(file)) {
      const line = JSON.stringify({ rehearsal: FORMAT, ...header, started_at: startedAt });
      writeFileSync(file, `${line}\n`, { mode: 0o600, flag: 'wx' });
      return;
    }
    const text = readFileSync(file, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const [first = '', ...lines] = whole.split('\n');
    this.startedAt = startOf(file, parsed(first), header);
    for (const line of lines.filter((each) => each !== '')) {
      const pair = pairOf(parsed(line));
      if (pair === null) throw refused(file, 'holds a line that is no result of a rehearsal');
      this.pairs.set(keyOf({ assistant: pair.assistant, text: pair.question }), pair);
    }
    if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
  }

  find(question: RehearsedQuestion): RehearsedPair | null {
    return this.pairs.get(keyOf(question)) ?? null;
  }

  add(pair: RehearsedPair): void {
    this.pairs.set(keyOf({ assistant: pair.assistant, text: pair.question }), pair);
    appendFileSync(this.file, `${JSON.stringify(pair)}\n`);
  }
}

function startOf(file: string, header: unknown, wanted: StateHeader): string {
  if (!isJsonObject(header) || header['rehearsal'] !== FORMAT) throw refused(file, 'is no state of a rehearsal');
  if (header['address'] !== wanted.address || header['source'] !== wanted.source)
    throw refused(file, `belongs to a rehearsal with another LAMB or --source`);
  return String(header['started_at']);
}

function pairOf(value: unknown): RehearsedPair | null {
  if (!isJsonObject(value)) return null;
  const { assistant, question, outcome, reasons, diff } = value;
  const isPair =
    typeof assistant === 'number' &&
    typeof question === 'string' &&
    OUTCOMES.some((each) => each === outcome) &&
    Array.isArray(reasons) &&
    Array.isArray(diff);
  return isPair ? (value as unknown as RehearsedPair) : null;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Ends a rehearsal, which can be continued. The message is one sentence for the operator. */
export class RehearsalStopped extends Error {}

const OUTCOME_TEXTS: Readonly<Record<Outcome, string>> = {
  same: 'the same prompt',
  spaces: 'the same prompt but for blanks and line ends',
  different: 'another prompt',
  refused_here: 'LAMB answers; refused here',
  refused_there: 'LAMB refuses; answered here',
  refused_both: 'refused by both',
};
const QUESTION_CHARS = 300;

interface Counts {
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Pairs with another prompt or a refusal here for which no reason is known. */
  readonly unexplained: number;
  readonly notImported: number;
}

const isUnexplained = ({ outcome, reasons }: RehearsedPair): boolean => outcome === 'different' && reasons.length === 0;

function countsOf({ pairs, assistants }: RehearsalReport): Counts {
  const count = (outcome: Outcome): number => pairs.filter((pair) => pair.outcome === outcome).length;
  return {
    outcomes: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)])) as Record<Outcome, number>,
    unexplained: pairs.filter(isUnexplained).length,
    notImported: assistants.filter(({ id }) => id === null).length,
  };
}

/** The summary for the terminal. */
export function rehearsalText(report: RehearsalReport): string {
  const { outcomes, unexplained, notImported } = countsOf(report);
  return [
    `Rehearsal with ${report.address}: ${report.pairs.length} questions compared, ${report.open} open.`,
    ...OUTCOMES.filter((outcome) => outcomes[outcome] > 0).map(
      (outcome) => `  ${String(outcomes[outcome]).padStart(5)}  ${OUTCOME_TEXTS[outcome]}`,
    ),
    ...(unexplained > 0 ? [`  ${unexplained} of the other prompts have no known reason.`] : []),
    ...(notImported > 0 ? [`  ${notImported} assistants were not imported and not asked.`] : []),
    ...(report.stopped === null ? [] : [`The rehearsal stopped: ${report.stopped} The same command continues it.`]),
  ].join('\n');
}

/** The report for programs. */
export const rehearsalJson = (report: RehearsalReport): JsonObject => {
  const { outcomes, unexplained, notImported } = countsOf(report);
  return { ...(snakeCased(report) as JsonObject), counts: { ...outcomes, unexplained, not_imported: notImported } };
};

/** The report to sign: counts first, then every pair that differs. */
export function rehearsalMarkdown(report: RehearsalReport): string {
  const { outcomes, unexplained, notImported } = countsOf(report);
  const differing = report.pairs.filter(({ outcome }) => outcome !== 'same' && outcome !== 'spaces');
  return [
    '# Rehearsal of the move from LAMB',
    `LAMB: ${code(report.address)}, source ${code(report.source)}. Begun ${report.startedAt}, reported ${report.finishedAt}.`,
    'Both systems prepared a prompt for the same question; the model that answers was not asked.',
    ...(report.stopped === null
      ? []
      : [`**Not complete.** ${line(report.stopped)} ${report.open} questions are open.`]),
    [
      '| result | questions |',
      '| --- | ---: |',
      ...OUTCOMES.map((outcome) => `| ${OUTCOME_TEXTS[outcome]} | ${outcomes[outcome]} |`),
      `| of the other prompts, without a known reason | ${unexplained} |`,
      `| open | ${report.open} |`,
    ].join('\n'),
    `${report.assistants.length} assistants in LAMB, ${notImported} of them not imported and not asked.`,
    '## Signed',
    ['| name | date | signature |', '| --- | --- | --- |', '| | | |', '| | | |'].join('\n'),
    '## Differences',
    ...(differing.length === 0 ? ['None.'] : sections(report, differing)),
  ].join('\n\n');
}

function sections({ assistants }: RehearsalReport, pairs: readonly RehearsedPair[]): string[] {
  return assistants.flatMap(({ origin, id, name, organization }) => {
    const own = pairs.filter(({ assistant }) => assistant === origin);
    if (own.length === 0) return [];
    return [
      `### ${line(name)}`,
      `LAMB ${origin}, here ${id ?? 'none'}, organization ${code(organization)}`,
      ...own.flatMap(pairLines),
    ];
  });
}

function pairLines({ outcome, question, reasons, diff }: RehearsedPair): string[] {
  const known = reasons.map(({ code: name, message }) => `- ${code(name)}: ${line(message)}`);
  return [
    `**${OUTCOME_TEXTS[outcome]}**: ${code(line(question).slice(0, QUESTION_CHARS).toWellFormed())}`,
    ...(known.length > 0 ? [known.join('\n')] : outcome === 'different' ? ['No known reason.'] : []),
    ...(diff.length > 0 ? [fenced(diff)] : []),
  ];
}

/** Longer than every run of tildes within (CommonMark §4.5). */
function fenced(lines: readonly string[]): string {
  const text = lines.join('\n');
  const longest = Math.max(2, ...[...text.matchAll(/~+/g)].map(([run]) => run.length));
  const fence = '~'.repeat(longest + 1);
  return `${fence}diff\n${text}\n${fence}`;
}

const line = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[<>*_[\]#]/g, '\\$&');

/** Backticks inside would end the span. */
const code = (text: string): string => `\`${text.replaceAll('`', "'").replaceAll('\\', '')}\``;
