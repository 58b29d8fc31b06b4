import type { DataKind } from '../person-table.types';
import type {
  ContentItem,
  ErasureCounts,
  ErasurePlan,
  ErasureReport,
  HandedOver,
  KeptData,
  Treatment,
} from './erasure.types';

/** Data that an erasure never touches. */
const ALWAYS_KEPT: readonly KeptData[] = [
  {
    code: 'texts_of_others',
    reason: 'Texts that other people wrote stay theirs, even where they mention the person.',
  },
  {
    code: 'vendors',
    reason: 'Vendors of models keep what they received before by their own rules.',
  },
  {
    code: 'sign_in_service',
    reason: 'The institution’s sign-in service still knows the person and can open a new account.',
  },
  {
    code: 'backups',
    reason:
      'Backups are not touched. They end by the schedule of the operator; a restored backup needs this erasure again.',
  },
  { code: 'logs', reason: 'Log files of the operator name ids and addresses until they are rotated.' },
];

export interface ErasureOutcome {
  readonly counts: ErasureCounts;
  readonly handedOver: HandedOver;
  readonly accountDeleted: boolean;
  /** Audit entries that still hold the person's id. */
  readonly auditEntries: number;
}

/** Numbers of what stays; null where it is not known yet. */
interface Remains {
  readonly auditEntries: number | null;
  readonly runs: number | null;
  readonly content: number;
  readonly accountDeleted: boolean;
}

const counted = (code: string, count: number | null, reason: string): KeptData[] =>
  count === 0 ? [] : [{ code, ...(count === null ? {} : { count }), reason }];

/** Data that stays, with the reasons. */
export const keptData = ({ auditEntries, runs, content, accountDeleted }: Remains): readonly KeptData[] => [
  ...counted(
    'audit',
    auditEntries,
    'Audit entries prove who did what. Names and addresses are removed. An id without an account and titles of content ' +
      'are left until the retention of the audit log removes the entries.',
  ),
  ...counted('run_figures', runs, 'Figures of runs without the person are needed for cost and load.'),
  ...counted('handed_over', content, 'Others use this content. It belongs to the heir now.'),
  ...(accountDeleted ? [] : [{ code: 'account', reason: 'Another organization needs the account of the person.' }]),
  ...ALWAYS_KEPT,
];

export const erasureReport = (outcome: ErasureOutcome, finishedAt: Date): ErasureReport => ({
  version: 1,
  counts: outcome.counts,
  handed_over: outcome.handedOver,
  kept: keptData({
    auditEntries: outcome.auditEntries,
    runs: outcome.counts.anonymised?.runs ?? 0,
    content: Object.values(outcome.handedOver).reduce((sum, ids) => sum + ids.length, 0),
    accountDeleted: outcome.accountDeleted,
  }),
  account: outcome.accountDeleted ? 'deleted' : 'kept',
  finished_at: finishedAt.toISOString(),
});

const KIND_NAMES: Readonly<Record<DataKind, string>> = {
  account: 'account and membership',
  sign_in: 'keys, sessions and identities',
  conversations: 'conversations and messages',
  runs: 'runs and their events',
  usage: 'usage and limits',
  assistants: 'assistants and versions',
  knowledge_bases: 'knowledge bases and documents',
  rubrics: 'rubrics',
  prompt_templates: 'prompt templates',
  external_collections: 'external collections',
  files: 'files',
  shares: 'shares',
  audit: 'audit entries',
  technical: 'technical records',
};

const TREATMENTS: readonly (readonly [Treatment, string])[] = [
  ['deleted', 'Deleted'],
  ['anonymised', 'Made anonymous'],
  ['redacted', 'Redacted'],
];

/** The report as lines for people. */
export function reportText({ counts, handed_over: handedOver, kept, account }: ErasureReport): string {
  const treated = TREATMENTS.flatMap(([treatment, title]) => {
    const rows = Object.entries(counts[treatment] ?? {});
    const lines = rows.map(([kind, count]) => `  ${count} × ${KIND_NAMES[kind as DataKind]}`);
    return lines.length === 0 ? [] : [`${title}:`, ...lines];
  });
  const moved = Object.entries(handedOver).map(([type, ids]) => `  ${ids.length} × ${KIND_NAMES[type as DataKind]}`);
  return [
    account === 'deleted' ? 'The account was deleted.' : 'The person left the organization; the account stays.',
    ...treated,
    ...(moved.length === 0 ? [] : ['Handed over:', ...moved]),
    'Kept:',
    ...kept.map(({ count, reason }) => `  ${count === undefined ? '' : `${count} × `}${reason}`),
  ].join('\n');
}

const namesOf = (items: readonly ContentItem[]): string[] =>
  items.map(({ type, id, name }) => `  ${KIND_NAMES[type]}: ${name} (${id})`);

/** A plan as lines for people. */
export function planText({ subject, heir, content, counts, kept, problems }: ErasurePlan): string {
  const rows = Object.entries(counts).map(([kind, count]) => `  ${count} × ${KIND_NAMES[kind as DataKind]}`);
  return [
    `Erasing ${subject.name} (${subject.email}) would concern:`,
    ...rows,
    ...(content.handOver.length === 0
      ? []
      : [`Handed over to ${heir?.email ?? 'nobody'}:`, ...namesOf(content.handOver)]),
    ...(content.delete.length === 0 ? [] : ['Deleted, because nobody else uses it:', ...namesOf(content.delete)]),
    'Kept:',
    ...kept.map(({ reason }) => `  ${reason}`),
    ...(problems.length === 0 ? [] : ['Not possible yet:', ...problems.map(({ message }) => `  ${message}`)]),
  ].join('\n');
}
