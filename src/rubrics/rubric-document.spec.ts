import { withOwnVersion } from './rubric-document';
import type { RubricDocument } from './rubric.types';

describe('the version in a rubric that is sent', () => {
  const stored = { title: 'Essay', version: 'draft 7', maxScore: 10 } as unknown as RubricDocument;

  it('is the count of an answer where it is a whole number, and is not stored', () => {
    expect(withOwnVersion({ title: 'Essay', version: 3 })).toEqual({ title: 'Essay' });
    expect(withOwnVersion({ title: 'Essay', version: 3 }, { title: 'Essay' } as RubricDocument)).toEqual({
      title: 'Essay',
    });
  });

  it("leaves the document's own in its place, so that an answer sent back changes nothing", () => {
    const answer = { ...stored, version: 3 };
    expect(JSON.stringify(withOwnVersion(answer, stored))).toBe(JSON.stringify(stored));
  });

  it("is the document's own in every other form", () => {
    for (const version of ['draft 8', '2', 1.5, null, { major: 1 }]) {
      const body = { title: 'Essay', version };
      expect(withOwnVersion(body, stored)).toBe(body);
    }
    expect(withOwnVersion({ title: 'Essay' }, stored)).toEqual({ title: 'Essay' });
    expect(withOwnVersion([3], stored)).toEqual([3]);
  });
});
