import type { RewriteSubject } from '../../assistants';
import {
  definitionOf,
  migrationFixtures,
  migrator as newMigrator,
  renderer as newRenderer,
  subjectOf,
} from '../../../test/support/migrator';
import { RECORDED_INPUTS } from './recorded-inputs';

const migrator = newMigrator();
const renderer = newRenderer();

const LONG_NAMES = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(200, 'n'));

const searching = (slots: number, metadata: object = { rag_processor: 'hierarchical_rag' }): RewriteSubject =>
  subjectOf({
    metadata: JSON.stringify(metadata),
    promptTemplate: 'Read {context} '.repeat(slots),
    ragCollections: LONG_NAMES.join(),
    ragTopK: 20,
  });

const cited = (style: string): RewriteSubject => {
  const config = { collections: LONG_NAMES, top_k: 20, sources_in_prompt: style };
  const tools = [
    { type: 'simple_rag', config },
    { type: 'simple_rag', config: { ...config, rewrite_query: true } },
  ];
  return { ...searching(1, { _format_version: 2, tools }), id: 8 };
};

/** How often others had their turn while the plan was made. */
async function plannedWithTicks(subject: RewriteSubject) {
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  try {
    return { plan: await migrator.plan(subject, 3), ticks };
  } finally {
    clearInterval(timer);
  }
}

describe('the budget of a proof', () => {
  it.each([
    ...migrationFixtures().map((fixture) => [fixture.name, subjectOf(definitionOf(fixture))] as const),
    ['the largest search', searching(2)] as const,
    ['a moodle user', searching(2, { rag_processor: 'simple_rag', prompt_processor: 'moodle_augment' })] as const,
    ['numbered sources', cited('numbered')] as const,
    ['sources as LAMB lists them', cited('lamb')] as const,
  ])('is estimated on the safe side: %s', async (_, subject) => {
    const plan = await migrator.plan(subject, 3);
    for (const definition of [subject.definition, ...(plan.status === 'ready' ? [plan.definition] : [])]) {
      const opened = renderer.open({ id: 7, definition });
      for (const input of RECORDED_INPUTS) {
        const rendering = await opened.render(input);
        expect(rendering?.prompt.length).toBeLessThanOrEqual(opened.units);
      }
    }
  });

  it('is no matter of names that are none', async () => {
    const tools = [{ type: 'simple_rag', config: { collections: [{ toString: 1 }, null], top_k: 'many' } }];
    expect((await migrator.plan(searching(1, { _format_version: 2, tools }), 3)).status).toBe('refused');
  });

  it('lets a long prompt be compared while others have their turn', async () => {
    const systemPrompt = 'p '.repeat(200_000);
    const promptTemplate = `Read {context} ${' w\n'.repeat(133_000)}{user_input}`;
    const { definition } = searching(1);
    const long = subjectOf({ ...definition, ragCollections: 'a,b', systemPrompt, promptTemplate });
    const { plan, ticks } = await plannedWithTicks(long);
    expect(plan.status).toBe('ready');
    expect(ticks).toBeGreaterThan(1);
  });

  it.each([
    ['many slots of long contents', searching(190)],
    [
      'a prompt beyond it',
      { ...searching(1), definition: { ...searching(1).definition, systemPrompt: 'p'.repeat(2e6) } },
    ],
    [
      'a hundred searches',
      searching(1, {
        _format_version: 2,
        tools: Array.from({ length: 100 }, () => ({
          type: 'simple_rag',
          config: { collections: LONG_NAMES, top_k: 20 },
        })),
      }),
    ],
  ])('refuses %s before anything is rendered', async (_, subject) => {
    const rendered = jest.spyOn(migrator['renderer' as never], 'rendering' as never);
    expect(await migrator.plan(subject, 3)).toMatchObject({
      status: 'refused',
      problems: [{ path: 'prompt_template', code: 'prompt.too_long' }],
      differences: [],
    });
    expect(rendered).not.toHaveBeenCalled();
  });
});
