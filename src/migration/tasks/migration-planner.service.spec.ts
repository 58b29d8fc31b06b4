import type { RewriteSubject } from '../../assistants';
import type { OrganizationsService } from '../../organizations';
import { type MigrationCandidates, type Examined, MigrationPlanner, type Verdict } from './migration-planner.service';

const COUNT = 400;
const LONG = 'x'.repeat(20_000);

/** An organization whose every assistant gets this verdict. */
function planner(verdict: Verdict, metadata = '{}'): MigrationPlanner {
  const definition = { type: 'classic', name: 'A', metadata, promptTemplate: 'before' };
  const subjects = Array.from(
    { length: COUNT },
    (_, n) => ({ id: n + 1, organizationId: 'o', definition }) as RewriteSubject,
  );
  const candidates = {
    async *pages() {
      yield await Promise.resolve(subjects);
    },
    examine: (page: readonly RewriteSubject[]): Promise<Examined[]> =>
      Promise.resolve(page.map((subject) => ({ subject, verdict }))),
  };
  const organizations = { runtime: () => Promise.resolve({ slug: 'o', features: { multi_tool: true } }) };
  return new MigrationPlanner(
    candidates as unknown as MigrationCandidates,
    organizations as unknown as OrganizationsService,
  );
}

const scope = { organizationId: null, to: 3 } as const;
const control = { signal: new AbortController().signal, report: () => undefined };
const problem = { path: LONG, message: `${'x'.repeat(499)}😀` };

describe('the plan of a migration', () => {
  it('counts everything and shows at most a million characters of it', async () => {
    const promptTemplate = Array.from({ length: 300 }, () => 'y'.repeat(1_000)).join('\n');
    const ready = {
      kind: 'ready',
      from: 1,
      plan: { status: 'ready', definition: { metadata: '{}', promptTemplate }, notes: [problem] },
    } as unknown as Verdict;
    const plan = await planner(ready).plan(scope, COUNT, control);
    expect(plan).toMatchObject({ examined: COUNT, migrate: COUNT });
    expect(plan.rewrites.length).toBeLessThan(COUNT);
    expect(JSON.stringify(plan).length).toBeLessThan(1_100_000);
  });

  it('says of a refusal what people can read', async () => {
    const problems = Array.from({ length: 5_000 }, () => problem);
    const refused = {
      kind: 'refused',
      from: null,
      plan: { status: 'refused', from: null, problems, differences: [] },
    } as Verdict;
    const { failed, refusals } = await planner(refused).plan(scope, COUNT, control);
    expect([failed, refusals.length, refusals[0]?.problems.length]).toEqual([COUNT, 49, 20]);
    expect(refusals[0]?.problems[0]?.message).toBe(`${'x'.repeat(499)}\uFFFD`);
  });
});

it('counting versions lets others have their turn', async () => {
  const current: Verdict = { kind: 'current', from: 1 };
  let turns = 0;
  const ticking = setInterval(() => (turns += 1), 1);
  const large = JSON.stringify({ odd: Array.from({ length: 20_000 }, (_, n) => n) });
  const [organization] = await planner(current, large).status(null, control.signal);
  clearInterval(ticking);
  expect(organization).toMatchObject({ slug: 'o', total: COUNT });
  expect(turns).toBeGreaterThan(3);
});
