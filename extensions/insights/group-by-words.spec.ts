import { groupByWords, rarities } from './group-by-words';
import { TimeSlices } from './time-slices';

const grouped = (...questions: string[]): Promise<number[][]> =>
  groupByWords(
    questions.map((question) => question.split(' ').filter((stem) => stem !== '')),
    new TimeSlices(),
  );

describe('groups of similar questions by words', () => {
  it('join questions that share their rare words', async () => {
    const groups = await grouped(
      'osmosi water membran',
      'osmosi membran explain',
      'photosynthesi light',
      'explain photosynthesi light',
      'exam date',
    );
    expect(groups).toEqual([[0, 1], [2, 3], [4]]);
  });

  it('do not join questions over a word that most of them have', async () => {
    const groups = await grouped('cell wall', 'cell nucleus', 'cell membran', 'cell energi');
    expect(groups).toEqual([[0], [1], [2], [3]]);
  });

  it('give a question to the group that is nearest', async () => {
    expect(await grouped('osmosi water', 'osmosi salt pressur', 'osmosi salt pressur kidney')).toEqual([[0], [1, 2]]);
  });

  it('leave questions without stems alone', async () => {
    expect(await grouped('', '', 'osmosi')).toEqual([[0], [1], [2]]);
  });

  it('weigh rare stems more', () => {
    const weights = rarities([['cell', 'wall'], ['cell']]);
    expect(weights.get('wall')).toBeGreaterThan(weights.get('cell') ?? Infinity);
  });

  it('ask before each of five thousand questions whether other work is due', async () => {
    const questions = Array.from({ length: 5_000 }, (_, at) => [
      'common',
      `w${at % 50}`,
      `w${(at * 7) % 900}`,
      `w${(at * 13) % 2_000}`,
    ]);
    let asked = 0;
    const groups = await groupByWords(questions, { ifDue: () => Promise.resolve(void asked++) });
    expect(groups.flat()).toHaveLength(5_000);
    expect(asked).toBe(5_000);
  });
});
