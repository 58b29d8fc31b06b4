import {
  ARRIVAL_KINDS,
  ARRIVAL_OUTCOMES,
  type ArrivalCounts,
  type ArrivalKind,
  type ArrivalNote,
  type ArrivalOutcome,
  type ImportedOrganization,
  type ImportReport,
  type MissingFile,
} from '../import.types';
import { terminalLine } from '../../kernel';
import type { LambProblem } from '../source/lamb-source.types';
import { isClean, totals } from './report-summary';

/** Lines of one sort that a person is shown; programs read all of them under `--json`. */
const MAX_SHOWN = 20;

const KIND_NAMES: Readonly<Record<ArrivalKind, string>> = {
  organization: 'organization',
  user: 'users',
  member: 'memberships',
  assistant: 'assistants',
  share: 'shares',
  rubric: 'rubrics',
  prompt_template: 'prompt templates',
  collection: 'knowledge bases',
  file: 'files',
};
const OUTCOME_NAMES: Readonly<Record<ArrivalOutcome, string>> = {
  created: 'created',
  updated: 'updated',
  unchanged: 'unchanged',
  conflict: 'in conflict',
  left_out: 'left out',
};
const VERDICTS: Readonly<Record<ImportedOrganization['outcome'], string>> = {
  created: 'created',
  updated: 'updated',
  unchanged: 'unchanged',
  conflict: 'not imported: conflict',
  failed: 'not imported: failed',
};
const COLUMN = Math.max(...Object.values(KIND_NAMES).map((name) => name.length)) + 2;

function block(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, MAX_SHOWN).map((line) => `    ${terminalLine(line)}`);
  const rest = lines.length - shown.length;
  return [`  ${title}`, ...shown, ...(rest > 0 ? [`    and ${rest} more (--json lists all)`] : [])];
}

const named = (name: string | null): string => (name === null ? '' : ` "${name}"`);

const noteLine = ({ kind, origin, name, message }: ArrivalNote): string =>
  `${kind} ${origin}${named(name)}: ${message}`;

const fileLine = ({ path, assistants, reason }: MissingFile): string =>
  `${path} (assistants ${assistants.join(', ')}): ${reason}`;

const countsText = (counts: ArrivalCounts): string =>
  ARRIVAL_OUTCOMES.filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${OUTCOME_NAMES[outcome]}`)
    .join(', ');

const countLines = ({ counts }: ImportedOrganization): string[] =>
  ARRIVAL_KINDS.map((kind) => ({ kind, text: countsText(counts[kind]) }))
    .filter(({ kind, text }) => kind !== 'organization' && text !== '')
    .map(({ kind, text }) => `  ${KIND_NAMES[kind].padEnd(COLUMN)}${text}`);

const newIds = ({ assistants }: ImportedOrganization): string[] =>
  assistants
    .filter(({ id }) => id !== null)
    .map(({ origin, id, name }) => `lamb_assistant.${origin} is lamb_assistant.${id}${named(name)}`);

function organizationLines(organization: ImportedOrganization): string[] {
  const { name, slug, originSlug, outcome } = organization;
  const renamed = slug === originSlug ? slug : `${slug}, there ${originSlug}`;
  return [
    terminalLine(`${name} (${renamed}): ${VERDICTS[outcome]}`),
    ...countLines(organization),
    ...block('Conflicts', organization.conflicts.map(noteLine)),
    ...block('Left out', organization.leftOut.map(noteLine)),
    ...block('Notes', organization.notes.map(noteLine)),
    ...block('Files that are missing', organization.missingFiles.map(fileLine)),
    ...block('New ids of assistants', newIds(organization)),
    '',
  ];
}

function problemLine({ table, row, path, message }: LambProblem): string {
  const place = row === null ? table : `${table}/${row}`;
  return `${path === '' ? place : `${place} ${path}`}: ${message}`;
}

function conclusion(report: ImportReport): string {
  const { organizations, counts } = totals(report);
  const things = countsText(counts);
  const sum = `${organizations} organization${organizations === 1 ? '' : 's'}: ${things === '' ? 'nothing to do' : things}.`;
  if (report.interrupted) return `${sum} Interrupted; the same command goes on.`;
  if (!isClean(report)) return `${sum} Something is in conflict or failed; see above.`;
  return report.dryRun ? `${sum} Nothing was written; without --dry-run it will be.` : sum;
}

/** The report for people, most important things first. */
export function reportText(report: ImportReport): string {
  const title = `Import from ${report.source}${report.dryRun ? ' (dry run: what would be done)' : ''}`;
  const unread = block('Not read in the source', report.problems.map(problemLine));
  const lines = [terminalLine(title), '', ...report.organizations.flatMap(organizationLines)];
  return [...lines, ...unread, ...(unread.length > 0 ? [''] : []), conclusion(report)].join('\n');
}
