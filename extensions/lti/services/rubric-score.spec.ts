import { rubricScoreIn } from '../dashboard/readable-conversations.service';

describe('the mark in an answer to a rubric', () => {
  it.each([
    ['Clarity: good, 3 of 4. Reason.\nTotal: 7.5 of 10\n\nOverall feedback\nWell done.', 7.5, 10],
    ['**Total:** 7,5 / 10', 7.5, 10],
    ['| Final score | 18 out of 20 |', 18, 20],
    ['Puntuación total: 8 de 10', 8, 10],
    ['Nota final: 8,25 sobre 10', 8.25, 10],
    ['Guztira: 10-tik 6', null, null],
    ['Azken nota: 6 / 10', 6, 10],
    ['Total: 4 of 10 after the draft\nTotal: 6 of 10', 6, 10],
    ['Clarity: 3 of 4', null, null],
    ['Total: 12 of 10', null, null],
    ['Total: 0 of 0', null, null],
    ['Write three of the ten in total.', null, null],
    ['', null, null],
  ])('of %j is %s of %s', (answer, score, maximum) =>
    expect(rubricScoreIn(answer)).toEqual(score === null ? null : { score, maximum }),
  );
});
