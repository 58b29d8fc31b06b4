import { prioritized } from './ingestion-requests';

const document = (organizationId: string, knowledgeBaseId: string, id: string) => ({
  organizationId,
  knowledgeBaseId,
  id,
});
const priorities = (...args: Parameters<typeof prioritized>): number[] =>
  prioritized(...args).map(({ priority }) => priority ?? 0);

describe('the turn of a document', () => {
  it('comes later with each document of its knowledge base before it', () => {
    const documents = ['a', 'b', 'c'].map((id) => document('o', 'k', id));
    expect(priorities(documents)).toEqual([-0, -1, -2]);
    expect(priorities(documents, { organization: 5, knowledgeBase: 5 })).toEqual([-5, -6, -7]);
  });

  it('comes later with every tenth document of its organization before it', () => {
    expect(priorities([document('o', 'k', 'a')], { organization: 199, knowledgeBase: 0 })).toEqual([-19]);
  });

  it('is not put off by those of other organizations that are taken up with it', () => {
    const many = Array.from({ length: 200 }, (_, n) => document('o', `k${n}`, `d${n}`));
    const turns = priorities([...many, document('p', 'other', 'x')]);
    expect([turns[199], turns[200]]).toEqual([-19, -0]);
  });
});
