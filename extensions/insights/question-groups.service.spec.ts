import { QuestionCount } from './mask-people';
import type { DistinctQuestion } from './distinct-questions';
import { QuestionGroups } from './question-groups.service';

const OWN = { provider: 'folder', model: 'tiny', dimensions: null };

function groups(own: typeof OWN | null) {
  const embedded: (readonly string[])[] = [];
  const vectors = {
    usable: (_: string, chosen: typeof OWN | null) => Promise.resolve(chosen ?? own),
    of: (_: string, __: unknown, texts: readonly string[]) => {
      embedded.push(texts);
      return Promise.resolve(texts.map((_text, at) => Float32Array.from([at % 2, (at + 1) % 2])));
    },
  };
  const stems = { of: (_: string, words: readonly string[]) => Promise.resolve(new Map(words.map((w) => [w, w]))) };
  const languages = { detectMost: () => Promise.resolve(null) };
  return { embedded, service: new QuestionGroups(stems as never, vectors as never, languages as never) };
}

const none = () => new QuestionCount();

function questions(count: number): DistinctQuestion[] {
  return Array.from({ length: count }, (_, at) => {
    const asked = new QuestionCount();
    asked.add(`person ${at}`);
    return { text: `q${at}`, words: [`q${at}`], asked, missed: none(), up: none(), down: none(), found: null };
  });
}

describe('groups by meaning', () => {
  it('are offered with an embedding model, and refused without one', async () => {
    expect(await groups(OWN).service.possible('organization', null)).toEqual(['words', 'meaning']);
    const { service } = groups(null);
    expect(await service.possible('organization', null)).toEqual(['words']);
    await expect(service.modelOf('organization', null)).rejects.toMatchObject({
      code: 'conflict',
      reason: 'insights.no_embedding',
    });
  });

  it('embed at most 500 questions; the others stay alone', async () => {
    const { service, embedded } = groups(OWN);
    const told = await service.byMeaning('organization', questions(503), null);
    expect(embedded.map(({ length }) => length)).toEqual([500]);
    expect(told.groups.map(({ people }) => people)).toEqual([250, 250]);
    expect(told.hidden).toEqual({ groups: null, questions: null });
  });
});
