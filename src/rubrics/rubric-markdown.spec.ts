import { rubricJson, rubricMarkdown } from './rubric-markdown';
import { rubricProblems } from './rubric-validation';
import type { RubricDocument } from './rubric.types';

const rubric: RubricDocument = {
  rubricId: 'essay-rubric-0001',
  title: 'Essay\nrubric',
  description: 'For short essays',
  metadata: { createdAt: 'x', modifiedAt: 'x', subject: 'History', gradeLevel: '9' },
  scoringType: 'points',
  maxScore: 20,
  criteria: [
    {
      id: 'c2',
      name: 'Style',
      description: 'Prose',
      weight: 1,
      order: 2,
      levels: [
        { id: 'a', score: 1, label: 'Weak', description: 'a | b\nc' },
        { id: 'b', score: 4, label: 'Strong', description: '\\frac{a}{b} {user_input} $&' },
      ],
    },
    {
      id: 'c1',
      name: 'Thesis',
      description: 'Clarity',
      weight: 3,
      order: 1,
      levels: [
        { id: 'a', score: 0, label: 'None', description: '-' },
        { id: 'b', score: 2, label: 'Clear', description: '+' },
      ],
    },
  ],
};

describe('rubricMarkdown', () => {
  const text = rubricMarkdown(rubric);

  it('is a rubric that passes its own check, but for its title, stored before names were checked', () =>
    expect(rubricProblems({ ...rubric, title: 'One line' })).toEqual([]));

  it('begins with title, description, subject and grade, each on lines of its own', () => {
    expect(text).toMatch(
      /^# Essay rubric\n\nFor short essays\n\n\*\*Subject:\*\* History\n\n\*\*Grade level:\*\* 9\n\n/,
    );
  });

  it('puts criteria in their order and levels best first', () => {
    expect(text.indexOf('### 1. Thesis')).toBeGreaterThan(0);
    expect(text.indexOf('### 2. Style')).toBeGreaterThan(text.indexOf('### 1. Thesis'));
    expect(text.indexOf('| Clear | 2 |')).toBeLessThan(text.indexOf('| None | 0 |'));
  });

  it('escapes what would break a table and nothing else', () => {
    expect(text).toContain('| Weak | 1 | a \\| b<br>c |');
    expect(text).toContain('| Strong | 4 | \\frac{a}{b} {user_input} $& |');
  });

  it('gives weights as shares of the whole and a formula that reaches the maximum', () => {
    expect(text).toContain('**Weight:** 3 (75 % of the final score)');
    expect(text).toContain('- Thesis: level score ÷ 2 × 15');
    expect(text).toContain('- Style: level score ÷ 4 × 5');
    expect(text).toContain('from 0 to 20');
  });

  it('leaves out what is not there', () => {
    const bare = rubricMarkdown({ ...rubric, description: ' ', metadata: {} });
    expect(bare).toMatch(/^# Essay rubric\n\n## Criteria\n/);
  });

  it('counts weights that are all zero as equal', () => {
    const criteria = rubric.criteria.map((criterion) => ({ ...criterion, weight: 0 }));
    expect(rubricMarkdown({ ...rubric, criteria })).toContain('(50 % of the final score)');
  });
});

it('rubricJson keeps the document and explains its scoring', () => {
  const parsed: unknown = JSON.parse(rubricJson(rubric));
  expect(parsed).toMatchObject({
    rubric,
    scoring: { max_score: 20, criteria: [{ name: 'Thesis', share: 0.75 }, { share: 0.25 }] },
  });
});

describe('a rubric for an evaluation', () => {
  const text = rubricMarkdown(rubric, true);

  it('adds the task, the form of the answer and the calculation, in a fixed order', () => {
    expect(text.match(/^##? .*$/gm)).toEqual([
      '# Essay rubric',
      '## Your task',
      '## Criteria',
      '## How the score is computed',
      '## Your answer',
    ]);
    expect(text.match(/^### \d\. (Scores|Calculation|Overall).*$/gm)).toEqual([
      '### 1. Scores by criterion',
      '### 2. Calculation',
      '### 3. Overall feedback',
    ]);
    const plain = rubricMarkdown(rubric);
    expect(text).toContain(plain.slice(plain.indexOf('## Criteria')));
  });

  it('asks for a justification of every criterion and shows how its points are computed', () => {
    expect(text).toContain('- Thesis: [level], [score] of 2. [Justification]\n- Style: [level], [score] of 4.');
    expect(text).toContain(
      '- Thesis: [score] ÷ 2 × 15 = [points]\n- Style: [score] ÷ 4 × 5 = [points]\n- Total: [sum of the points] of 20',
    );
  });

  it.each(['points', 'percentage', 'holistic', 'single-point', 'checklist'] as const)(
    'says how to judge by the scoring type %s',
    (scoringType) => {
      const guide = JSON.parse(rubricJson({ ...rubric, scoringType }, true)).evaluation;
      expect(guide.steps[1]).toBe(JSON.parse(rubricJson({ ...rubric, scoringType })).scoring.how_to_judge);
    },
  );

  it('is the same task as JSON, behind the rubric and its scoring', () => {
    const { evaluation, ...rest } = JSON.parse(rubricJson(rubric, true));
    expect(rest).toEqual(JSON.parse(rubricJson(rubric)));
    for (const step of evaluation.steps) expect(text).toContain(step);
    expect(evaluation.sections.map(({ title }: { title: string }) => title)).toEqual([
      'Scores by criterion',
      'Calculation',
      'Overall feedback',
    ]);
  });

  it('never divides by a best score of zero', () => {
    const [style, thesis] = rubric.criteria;
    const levels = thesis?.levels.map((level) => ({ ...level, score: 0 })) ?? [];
    const zero = { ...rubric, criteria: [style, { ...thesis, levels }] } as RubricDocument;
    expect(rubricMarkdown(zero, true)).not.toContain('÷ 0');
    expect(rubricMarkdown(zero, true)).toContain('- Thesis: 0 = [points]');
  });
});
