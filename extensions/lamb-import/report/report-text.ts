import {
  ITEM_KINDS,
  ITEM_OUTCOMES,
  type ItemCounts,
  type ReportNote,
  type ItemOutcome,
  type ImportedOrganization,
  type ImportReport,
  type MissingFile,
} from './report.types';
import { terminalLine } from '../../../src/kernel';
import { NOT_TAKEN, type NotTakenKind } from '../source/lamb-source.types';
import type { LambProblem } from '../source/problem.types';
import { KIND_NAMES } from './kind-names';
import { isClean, totals, type UnresolvedAddress, unresolvedAddresses } from './report-summary';

/** Lines shown per block; `--json` has all of them. */
const MAX_SHOWN = 20;

const OUTCOME_NAMES: Readonly<Record<ItemOutcome, string>> = {
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
const NOT_TAKEN_NAMES: Readonly<Record<NotTakenKind, readonly [one: string, many: string]>> = {
  lti_activities: ['LTI activity', 'LTI activities'],
  lti_keys: ['LTI key', 'LTI keys'],
  lti_students: ['LTI student', 'LTI students'],
  lti_teachers: [
    'teacher of LTI without an id at the learning platform: imported as a member, but cannot come in by LTI',
    'teachers of LTI without an id at the learning platform: imported as members, but cannot come in by LTI',
  ],
  chats: ['chat', 'chats'],
  libraries: ['library', 'libraries'],
  test_scenarios: ['test scenario', 'test scenarios'],
  aac_sessions: ['AAC session', 'AAC sessions'],
  signup_keys: ['signup key of an organization', 'signup keys of organizations'],
  assistant_quotas: ['cost limit of an assistant', 'cost limits of assistants'],
  assistant_defaults: [
    'organization with defaults for new assistants',
    'organizations with defaults for new assistants',
  ],
  organization_limits: [
    'organization with limits (LAMB does not enforce them)',
    'organizations with limits (LAMB does not enforce them)',
  ],
  rubric_showcases: [
    'rubric shown as an example: imported as an ordinary one',
    'rubrics shown as examples: imported as ordinary ones',
  ],
  rubric_parents: ['link of a rubric to the one it was copied from', 'links of rubrics to those they were copied from'],
};
const COLUMN = Math.max(...Object.values(KIND_NAMES).map((name) => name.length)) + 2;

function block(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, MAX_SHOWN).map((line) => `    ${terminalLine(line)}`);
  const rest = lines.length - shown.length;
  return [`  ${title}`, ...shown, ...(rest > 0 ? [`    and ${rest} more (--json lists all)`] : [])];
}

const named = (name: string | null): string => (name === null ? '' : ` "${name}"`);

const noteLine = ({ kind, origin, name, message }: ReportNote): string => `${kind} ${origin}${named(name)}: ${message}`;

const fileLine = ({ path, assistants, reason }: MissingFile): string =>
  `${path} (assistants ${assistants.join(', ')}): ${reason}`;

const countsText = (counts: ItemCounts): string =>
  ITEM_OUTCOMES.filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${OUTCOME_NAMES[outcome]}`)
    .join(', ');

const countLines = ({ counts }: ImportedOrganization): string[] =>
  ITEM_KINDS.map((kind) => ({ kind, text: countsText(counts[kind]) }))
    .filter(({ kind, text }) => kind !== 'organization' && text !== '')
    .map(({ kind, text }) => `  ${KIND_NAMES[kind].padEnd(COLUMN)}${text}`);

function newIds({ assistants }: ImportedOrganization): string[] {
  const imported = assistants.filter(({ id }) => id !== null);
  const changed = imported.filter(({ origin, id }) => origin !== id);
  const kept = imported.length - changed.length;
  return [
    ...(kept > 0 ? [`${kept} keep their id`] : []),
    ...changed.map(({ origin, id, name }) => `lamb_assistant.${origin} is lamb_assistant.${id}${named(name)}`),
  ];
}

function organizationLines(organization: ImportedOrganization): string[] {
  const { name, slug, originSlug, outcome } = organization;
  const renamed = slug === originSlug ? slug : `${slug}, in LAMB ${originSlug}`;
  return [
    terminalLine(`${name} (${renamed}): ${VERDICTS[outcome]}`),
    ...countLines(organization),
    ...block('Conflicts', organization.conflicts.map(noteLine)),
    ...block('Left out', organization.leftOut.map(noteLine)),
    ...block('Notes', organization.notes.map(noteLine)),
    ...block('Files that are missing', organization.missingFiles.map(fileLine)),
    ...block('Assistants that can do less than in LAMB', organization.findings.map(noteLine)),
    ...block('New ids of assistants', newIds(organization)),
    '',
  ];
}

function problemLine({ table, row, path, message }: LambProblem): string {
  const place = row === null ? table : `${table}/${row}`;
  return `${path === '' ? place : `${place} ${path}`}: ${message}`;
}

const notTakenLines = ({ notTaken }: ImportReport): string[] =>
  NOT_TAKEN.flatMap((kind) => {
    const count = notTaken[kind] ?? 0;
    const [one, many] = NOT_TAKEN_NAMES[kind];
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });

const addressLine = ({ address, organizations }: UnresolvedAddress): string =>
  `${address} (${organizations.join(', ')}): its host name is not known here; --map-address ${address}=<address here>`;

function conclusion(report: ImportReport): string {
  const { organizations, counts } = totals(report);
  const things = countsText(counts);
  const sum = `${organizations} organization${organizations === 1 ? '' : 's'}: ${things === '' ? 'nothing to do' : things}.`;
  if (report.interrupted) return `${sum} Interrupted; run the same command to continue.`;
  if (!isClean(report)) return `${sum} Something is in conflict, failed or is missing; see above.`;
  if (report.dryRun) return `${sum} Nothing was written. Without --dry-run it is written, and assistants are checked.`;
  return sum;
}

export function reportText(report: ImportReport): string {
  const title = `Import from ${report.source}${report.dryRun ? ' (dry run: nothing is written)' : ''}`;
  const closing = [
    block('Addresses that do not resolve', unresolvedAddresses(report).map(addressLine)),
    block('Not taken from this database', notTakenLines(report)),
    block('Not read in the source', report.problems.map(problemLine)),
  ];
  const lines = [terminalLine(title), '', ...report.organizations.flatMap(organizationLines)];
  const ends = closing.flatMap((each) => (each.length > 0 ? [...each, ''] : []));
  return [...lines, ...ends, conclusion(report)].join('\n');
}
