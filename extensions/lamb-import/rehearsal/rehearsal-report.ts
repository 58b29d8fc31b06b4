import { type JsonObject, snakeCased } from '../../../src/kernel';
import { OUTCOMES, type Outcome, type RehearsalReport, type RehearsedPair } from './rehearsal.types';

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
