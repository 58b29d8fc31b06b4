import { BRIEF_FILE, STATISTICS } from '../../src/assistants/demo/demo-seeder.service';
import { startApp, type TestApp } from '../support/app';
import { person } from '../support/people';
import { until } from '../support/until';

interface Material {
  readonly kind: 'knowledge_base' | 'rubric' | 'file';
  readonly fills: readonly { list: 'tools' | 'functions'; index: number; setting: string; many: boolean }[];
}

let app: TestApp;
let chosen: Readonly<Record<Material['kind'], string>>;
/** Title of a document in the knowledge base. */
let title: string;

beforeAll(async () => {
  app = await startApp({ env: { SEED_DEMO: 'true' } });
  const knowledgeBases = (await app.api('GET', '/api/v1/knowledge-bases')).json.items;
  const course = knowledgeBases.find(({ slug }: { slug: string }) => slug === STATISTICS.slug);
  const [rubric] = (await app.api('GET', '/api/v1/rubrics')).json.items;
  chosen = { knowledge_base: course.id, rubric: rubric.id, file: BRIEF_FILE };
  await until(async () => {
    const { items } = (await app.api('GET', `/api/v1/knowledge-bases/${course.id}/documents`)).json;
    title = items[0]?.title;
    return items.length > 0 && items.every(({ status }: { status: string }) => status === 'completed');
  });
}, 120_000);
afterAll(() => app.stop());

const recipes = async (language: string): Promise<any> =>
  (await app.api('GET', '/api/v1/recipes', undefined, { 'accept-language': language })).json;

/** As the page does it. */
function filled({ definition, materials }: { definition: any; materials: readonly Material[] }): any {
  const metadata = structuredClone(definition.metadata);
  for (const { kind, fills } of materials) {
    for (const { list, index, setting, many } of fills) {
      const entry = metadata[list][index];
      const target = list === 'tools' ? entry.config : entry;
      target[setting] = many ? [chosen[kind]] : chosen[kind];
    }
  }
  return { ...definition, metadata };
}

describe('recipes', () => {
  it.each(['en', 'es', 'ca', 'eu'])(
    'save without a problem and answer their first question with quotations (%s)',
    async (language) => {
      const { recipes: list, count, language: told } = await recipes(language);
      expect([told, list.length]).toEqual([language, count]);
      expect(count).toBeGreaterThanOrEqual(6);
      for (const recipe of list) {
        const definition = filled(recipe);
        const made = await app.api('POST', '/api/v1/assistants', { ...definition, name: `${recipe.name} ${language}` });
        expect([recipe.id, made.status]).toEqual([recipe.id, 201]);
        const problems = made.json.diagnostics.filter(({ code }: { code: string }) => !code.startsWith('connector.'));
        expect([recipe.id, problems]).toEqual([recipe.id, []]);
        const answer = await app.api('POST', '/v1/chat/completions', {
          model: `assistant.${made.json.id}`,
          messages: [
            { role: 'user', content: (recipe.topic?.questions[0] ?? recipe.questions[0]).replace('{topic}', title) },
          ],
        });
        expect([recipe.id, answer.status]).toEqual([recipe.id, 200]);
        expect([recipe.id, answer.json.choices[0].message.content]).toEqual([recipe.id, expect.stringMatching(/^> /m)]);
      }
    },
  );

  it('bring a rubric that can be copied', async () => {
    const { recipes: list } = await recipes('ca');
    const samples = list.flatMap(({ materials }: any) => materials.flatMap(({ sample }: any) => sample ?? []));
    expect(samples.length).toBeGreaterThan(0);
    const made = await app.api('POST', '/api/v1/rubrics', samples[0]);
    expect([made.status, made.json.title]).toEqual([201, 'Treball escrit (exemple)']);
  });

  it('come in the language that the client prefers among the four', async () => {
    for (const [header, language] of [
      ['fr, eu-ES;q=0.4, ca;q=0.9', 'ca'],
      ['de', 'en'],
      ['es;q=0, eu', 'eu'],
    ] as const) {
      expect((await recipes(header)).language).toBe(language);
    }
  });

  it('name the features that are switched off, and are for teachers', async () => {
    const off = await app.api('PATCH', '/api/v1/organizations/default', { features: { planned: false } });
    expect(off.status).toBe(200);
    const { recipes: list } = await recipes('en');
    const missing = Object.fromEntries(list.map(({ id, missing_features: names }: any) => [id, names]));
    expect([missing['research-desk'], missing['course-questions']]).toEqual([['planned'], []]);
    const student = await person(app, { role: 'member' });
    expect((await student.api('GET', '/api/v1/recipes')).status).toBe(403);
  });
});
