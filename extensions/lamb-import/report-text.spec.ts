import {
  ITEM_KINDS,
  type ImportReport,
  type ImportedOrganization,
  type ItemCounts,
  type ItemKind,
  type ReportNote,
} from './report-builder';
import { isClean, reportJson, reportText } from './report-text';

const NONE: ItemCounts = { created: 0, updated: 0, unchanged: 0, conflict: 0, left_out: 0 };

const counts = (more: Partial<Record<ItemKind, Partial<ItemCounts>>>): ImportedOrganization['counts'] =>
  Object.fromEntries(ITEM_KINDS.map((kind) => [kind, { ...NONE, ...more[kind] }])) as Record<ItemKind, ItemCounts>;

const note = (origin: string, message: string, name: string | null = null): ReportNote => ({
  kind: 'assistant',
  origin,
  name,
  code: 'some.code',
  message,
});

const organization = (more: Partial<ImportedOrganization> = {}): ImportedOrganization => ({
  origin: 2,
  originSlug: 'arts',
  slug: 'arts',
  name: 'Faculty of Arts',
  outcome: 'created',
  counts: counts({}),
  assistants: [],
  notes: [],
  conflicts: [],
  leftOut: [],
  missingFiles: [],
  unresolved: [],
  findings: [],
  ...more,
});

const report = (organizations: readonly ImportedOrganization[], more: Partial<ImportReport> = {}): ImportReport => ({
  source: 'lamb',
  dryRun: false,
  organizations,
  notTaken: {},
  problems: [],
  interrupted: false,
  ...more,
});

describe('the report of an import', () => {
  it('tells of every organization what came, what did not, and the new ids', () => {
    const text = reportText(
      report(
        [
          organization({
            originSlug: 'Arts!',
            counts: counts({
              organization: { created: 1 },
              assistant: { created: 2, left_out: 1 },
              prompt_template: { unchanged: 3 },
            }),
            assistants: [
              { origin: 14, id: 101, name: 'Essay' },
              { origin: 15, id: null, name: 'Not yet' },
            ],
            leftOut: [note('30', 'was deleted', 'Old')],
            notes: [note('28', 'top_k 50 became 20')],
            missingFiles: [{ path: '2/a.md', assistants: [15, 16], reason: 'is not there' }],
          }),
        ],
        {
          problems: [
            { code: 'value.ignored', table: 'rubrics', row: '3', path: 'rubric_data', message: 'is not JSON' },
            { code: 'table.absent', table: 'kb_registry', row: null, path: '', message: 'The table is not there' },
          ],
        },
      ),
    );
    expect(text.split('\n')).toEqual([
      'Import from lamb',
      '',
      'Faculty of Arts (arts, in LAMB Arts!): created',
      '  assistants        2 created, 1 left out',
      '  prompt templates  3 unchanged',
      '  Left out',
      '    assistant 30 "Old": was deleted',
      '  Notes',
      '    assistant 28: top_k 50 became 20',
      '  Files that are missing',
      '    2/a.md (assistants 15, 16): is not there',
      '  New ids of assistants',
      '    lamb_assistant.14 is lamb_assistant.101 "Essay"',
      '',
      '  Not read in the source',
      '    rubrics/3 rubric_data: is not JSON',
      '    kb_registry: The table is not there',
      '',
      '1 organization: 3 created, 3 unchanged, 1 left out. Something is in conflict, failed or is missing; see above.',
    ]);
  });

  it('names each address that does not resolve once, and closes with what was not taken', () => {
    const given = report(
      [
        organization({ unresolved: ['http://kb:9090', 'http://ollama:11434'] }),
        organization({ slug: 'law', unresolved: ['http://kb:9090'] }),
      ],
      { notTaken: { lti_activities: 1, chats: 30, lti_students: 3 } },
    );
    expect(reportText(given).split('\n').slice(-10)).toEqual([
      '  Addresses that do not resolve',
      '    http://kb:9090 (arts, law): its host name is not known here; --map-address http://kb:9090=<address here>',
      '    http://ollama:11434 (arts): its host name is not known here; --map-address http://ollama:11434=<address here>',
      '',
      '  Not taken from this database',
      '    1 LTI activity',
      '    3 LTI students',
      '    30 chats',
      '',
      '2 organizations: nothing to do.',
    ]);
    expect(reportJson(given)).toMatchObject({
      unresolved: [
        { code: 'address.unresolved', address: 'http://kb:9090', organizations: ['arts', 'law'] },
        { code: 'address.unresolved', address: 'http://ollama:11434', organizations: ['arts'] },
      ],
      not_taken: { lti_activities: 1, chats: 30, lti_students: 3 },
    });
  });

  it('lists twenty of a sort for people and all for programs', () => {
    const notes = Array.from({ length: 45 }, (_, index) => note(String(index), 'clamped'));
    const given = report([organization({ notes })]);
    expect(reportText(given)).toContain('    assistant 19: clamped\n    and 25 more (--json lists all)\n');
    expect(reportText(given)).not.toContain('assistant 20:');
    expect(reportJson(given)).toMatchObject({ organizations: [{ notes }] });
  });

  it('sends no control characters of a foreign database to a terminal', () => {
    const text = reportText(report([organization({ name: 'A\u001b[2JB', notes: [note('1', 'x\r\ny\u0007')] })]));
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(text).toContain('A [2JB');
  });

  it.each<[string, ImportReport, boolean, string]>([
    ['nothing new', report([organization({ outcome: 'unchanged' })]), true, '1 organization: nothing to do.'],
    [
      'a dry run',
      report([], { dryRun: true }),
      true,
      'Nothing was written. Without --dry-run it is written, and assistants are checked.',
    ],
    ['an interruption', report([], { interrupted: true }), false, 'Interrupted; run the same command to continue.'],
    [
      'a failure',
      report([organization({ outcome: 'failed' })]),
      false,
      'Something is in conflict, failed or is missing',
    ],
    ['a slug that is taken', report([organization({ outcome: 'conflict' })]), false, 'Something is in conflict'],
    ['a conflict inside', report([organization({ conflicts: [note('1', 'x')] })]), false, 'Something is in conflict'],
    [
      'a file that is missing',
      report([organization({ missingFiles: [{ path: 'a.md', assistants: [1], reason: 'is not there' }] })]),
      false,
      'Something is in conflict, failed or is missing',
    ],
    ['things left out on purpose', report([organization({ leftOut: [note('1', 'x')] })]), true, 'nothing to do.'],
  ])('is clean or not after %s', (_, given, clean, sentence) => {
    expect(isClean(given)).toBe(clean);
    expect(reportText(given)).toContain(sentence);
  });

  it('adds the counts of all organizations for programs', () => {
    const some = counts({ assistant: { created: 2, conflict: 1 }, user: { unchanged: 4 } });
    const given = report([organization({ counts: some }), organization({ counts: some, origin: 3 })], { dryRun: true });
    expect(reportJson(given)).toMatchObject({
      source: 'lamb',
      dry_run: true,
      interrupted: false,
      created: 4,
      updated: 0,
      unchanged: 8,
      conflict: 2,
      left_out: 0,
    });
  });
});
